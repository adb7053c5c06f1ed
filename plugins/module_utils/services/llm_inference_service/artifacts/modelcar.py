# SPDX-License-Identifier: GPL-3.0-or-later
"""A model in an image: a container of that image runs beside the server, which reads the other's files.

Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.7.
"""

from __future__ import annotations

from ....kube.manifest import Json
from ..pod import MAIN, appended, changed, container_of, mounted
from ..system_config import Storage
from .errors import ArtifactError

_NAME = "modelcar"
VOLUME = "kserve-provision-location"
_SHARED_PATH = "/mnt"
#: The shell's own process number: Kubernetes takes two dollar signs for one, and the shell two more for its number.
_OWN_ROOT = "/proc/$$$$/root/models"
_LINK = f"ln -sf {_OWN_ROOT} /mnt/models && exec sleep infinity"
_CHECK = (
    'if [ -d /models ] && [ -n "$(ls -A /models)" ]; then echo "OK: /models holds the model"; '
    'else echo "NOK: /models is missing or empty in this image"; exit 1; fi'
)


def with_modelcar(pod: Json, image: str, storage: Storage) -> Json:
    """Return a pod spec whose server reads the model from an image. Raises ArtifactError."""
    if not storage.enable_modelcar:
        raise ArtifactError(
            "OCI modelcars is not enabled",
            "spec.model.uri",
            "set enableModelcar in the part storageInitializer of inferenceservice-config, or use hf://, s3:// or pvc://",
        )
    if container_of(pod, MAIN) is None:
        raise ArtifactError(
            f"no container found with name {MAIN}",
            "spec.template.containers",
            f'call the container of the model server "{MAIN}"',
        )
    pod = changed(pod, MAIN, lambda main: _asynchronous(main, storage))
    pod = mounted(pod, MAIN, _volume(), _mount())
    if container_of(pod, _NAME) is None:
        pod = appended(pod, "containers", _car(image, storage))
        pod = appended(pod, "initContainers", _check(image, storage))
    return {**pod, "shareProcessNamespace": True}


def _asynchronous(main: Json, storage: Storage) -> Json:
    """Return the server, told to wait for the model, and as the user whose files it reads."""
    mode = {"name": "MODEL_INIT_MODE", "value": "async"}
    env = main.get("env") or []
    names = [variable.get("name") for variable in env]
    env = [mode if variable.get("name") == mode["name"] else variable for variable in env]
    main = {**main, "env": env if mode["name"] in names else [*env, mode]}
    if storage.uid_modelcar is not None:
        main["securityContext"] = {"runAsUser": storage.uid_modelcar}
    return main


def _volume() -> Json:
    return {"name": VOLUME, "emptyDir": {}}


def _mount() -> Json:
    return {"name": VOLUME, "mountPath": _SHARED_PATH}


def _container(name: str, image: str, script: str, storage: Storage) -> Json:
    amounts = {"cpu": storage.cpu_modelcar, "memory": storage.memory_modelcar}
    given = {resource: amount for resource, amount in amounts.items() if amount}
    return {
        "name": name,
        "image": image,
        "args": ["sh", "-c", script],
        "resources": {"limits": given, "requests": given},
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _car(image: str, storage: Storage) -> Json:
    car = {**_container(_NAME, image, _LINK, storage), "volumeMounts": [_mount()]}
    if storage.uid_modelcar is not None:
        car["securityContext"] = {"runAsUser": storage.uid_modelcar}
    return car


def _check(image: str, storage: Storage) -> Json:
    return _container(f"{_NAME}-init", image, _CHECK, storage)
