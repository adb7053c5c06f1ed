# SPDX-License-Identifier: GPL-3.0-or-later
"""A model in an image: a container of that image runs beside the server, which reads the other's files.

Source: KServe pkg/utils/storage.go@v0.17.0.
"""

from __future__ import annotations

from shlex import quote

from ....kube.manifest import Json
from ....kube.release import Since
from ..pod import appended, changed, container_of, mounted, with_value, with_volume
from ..releases import KServe
from ..storage_config import Storage
from .initializer import MODEL_PATH, VOLUME

_NAME = "modelcar"
#: Whether of the server's securityContext only the user changes, where the configuration names one.
KEEPS_SECURITY_CONTEXT: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})
#: What the model container gets where the configuration says nothing.
_CPU, _MEMORY = "10m", "15Mi"
#: The shell's own process number: Kubernetes takes two dollar signs for one, and the shell two more for its number.
_OWN_ROOT = "/proc/$$$$/root/models"
_CHECK = (
    'if [ -d /models ] && [ -n "$(ls -A /models)" ]; then echo "OK: /models holds the model"; '
    'else echo "NOK: /models is missing or empty in this image"; exit 1; fi'
)


def with_modelcar(
    pod: Json,
    server: str,
    image: str,
    storage: Storage,
    *,
    release: KServe,
    path: str = MODEL_PATH,
    number: int = 0,
) -> Json:
    """Return a pod spec whose server reads the model from an image.

    server: the name of its container, which must be there. path: where it looks for the model. number: of images that are there before.
    """
    suffix = f"-{number}" if number else ""
    shared, name = f"{VOLUME}{suffix}", f"{_NAME}{suffix}"
    folder = path.rpartition("/")[0] or "/"
    keeps = KEEPS_SECURITY_CONTEXT.at(release)

    def reading(container: Json) -> Json:
        kept = container.get("securityContext") or {} if keeps else {}
        return _asynchronous(container, storage, kept)

    pod = changed(pod, server, reading)
    volume = {"name": shared, "emptyDir": {}}
    # A server may mount it elsewhere; the car needs the volume all the same.
    mount = {"name": shared, "mountPath": folder}
    pod = with_volume(mounted(pod, server, volume, mount), volume)
    if container_of(pod, name) is None:
        car = _container(name, image, _link(path, folder), storage)
        car = {**car, "volumeMounts": [mount], **_user(storage, {})}
        check = _container(f"{_NAME}-init{suffix}", image, _CHECK, storage)
        pod = appended(appended(pod, "containers", car), "initContainers", check)
    return {**pod, "shareProcessNamespace": True}


def _asynchronous(server: Json, storage: Storage, kept: Json) -> Json:
    """Return the server, told to wait for the model, and as the user whose files it reads."""
    server = with_value(server, "MODEL_INIT_MODE", "async")
    return {**server, **_user(storage, kept)}


def _user(storage: Storage, kept: Json) -> Json:
    uid = storage.uid_modelcar
    return {} if uid is None else {"securityContext": {**kept, "runAsUser": uid}}


def _link(path: str, folder: str) -> str:
    """Return what shows the image's files to the server. path: where; another than the usual one has no folder yet."""
    made = "" if path == MODEL_PATH else f"mkdir -p {quote(folder)} && "
    return f"{made}ln -sf {_OWN_ROOT} {quote(path)} && exec sleep infinity"


def _container(name: str, image: str, script: str, storage: Storage) -> Json:
    amounts = {
        "cpu": storage.cpu_modelcar or _CPU,
        "memory": storage.memory_modelcar or _MEMORY,
    }
    return {
        "name": name,
        "image": image,
        "args": ["sh", "-c", script],
        "resources": {"limits": amounts, "requests": amounts},
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
