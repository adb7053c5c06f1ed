# SPDX-License-Identifier: GPL-3.0-or-later
"""The one model of a component: from a claim, or fetched by an init container.

Source: KServe pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0.
"""

from __future__ import annotations

from .....kube.manifest import Json
from ....kserve.pod import changed, container_of, mounted, variable_of, with_value
from ....kserve.storage.initializer import CLAIM_VOLUME, MODEL_PATH, NAME, VOLUME, claim_parts
from ....kserve.storage.model_image import model_image
from ....kserve.storage.refused import StorageRefused
from ..annotations import AGENT, STORAGE_CONTAINER
from ..containers import SERVER, WORKER, readers
from .containers import storage_container
from .context import Surroundings
from .images import reads_each
from .init_container import with_init_container

#: What the address of a model in an image begins with.
OCI = "oci://"
_CLAIM = "pvc://"
#: An address that says itself how its image is read.
_ASKS_FOR_IMAGE = "oci+"


def with_one_model(pod: Json, uri: str, around: Surroundings) -> Json:
    """Return a pod spec with a model. One that has its model another way stays. Raises StorageRefused."""
    found = storage_container(uri, around.reader, around.annotations.get(STORAGE_CONTAINER, ""))
    if has_model_otherwise(pod, uri, around):
        return pod
    names = tuple(readers(pod))
    check_server(names)
    claim, path = claim_parts(uri) if uri.startswith(_CLAIM) else ("", "")
    volume: Json = {"name": VOLUME, "emptyDir": {}}
    mount: Json = {"name": VOLUME, "mountPath": MODEL_PATH}
    if uri.startswith(_CLAIM):
        volume = {"name": CLAIM_VOLUME, "persistentVolumeClaim": {"claimName": claim}}
        mount = {**mount, "name": CLAIM_VOLUME, **({"subPath": path} if path else {})}
    for name in names:
        read_only = {"readOnly": True} if around.read_only else {}
        pod = mounted(pod, name, volume, {**mount, **read_only})
    if not uri.startswith(_CLAIM):
        pod = with_init_container(pod, [uri, MODEL_PATH], mount, found, around)
    return changed(pod, names[0], _with_local_uri)


def has_model_otherwise(pod: Json, uri: str, around: Surroundings) -> bool:
    """Tell whether the agent, an image or an init container that is there already brings the model. Raises StorageRefused."""
    image, mode = model_image(uri, around.config.storage, around.release)
    by_image = bool(image or mode)
    if uri.startswith(_ASKS_FOR_IMAGE) and reads_each(around.release) and not by_image:
        raise StorageRefused(
            f'models in images are switched off, so that nobody reads "{uri}"',
            "storageUri",
            "set enableOciModelSupport in the part storageInitializer of inferenceservice-config",
        )
    return has_agent(around) or by_image or container_of(pod, NAME, "initContainers") is not None


def has_agent(around: Surroundings) -> bool:
    """Tell whether the agent fetches the models of a pod."""
    return AGENT in around.annotations


def check_server(names: tuple[str, ...], *, named: str = "") -> None:
    """Raise StorageRefused for a pod in which no server reads a model. named: the name that the message tells."""
    if SERVER in names or WORKER in names:
        return
    raise StorageRefused(
        "Invalid configuration: cannot find container" + (f": {named}" if named else ""),
        "containers",
        f'call the container of the model server "{SERVER}"',
    )


def _with_local_uri(server: Json) -> Json:
    """Return a server of the service's own, which finds by a variable where its model is."""
    variable = variable_of(server, "STORAGE_URI")
    if variable is None or not variable.get("value"):
        return server
    return with_value(server, "STORAGE_URI", MODEL_PATH)
