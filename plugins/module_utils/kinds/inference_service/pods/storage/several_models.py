# SPDX-License-Identifier: GPL-3.0-or-later
"""The models of `storageUris`, each in a folder of its own. Source: KServe pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Sequence

from .....kube.manifest import Json
from ....kserve.pod import mounted, with_volume
from ....kserve.storage.initializer import MODEL_PATH, claim_parts, common_folder
from ....kserve.storage.model_image import is_fetched
from ....kserve.storage.refused import StorageRefused
from ..containers import readers
from .containers import storage_container
from .context import Surroundings
from .images import images_among, reads_each, with_images
from .init_container import with_init_container
from .one_model import check_server, has_agent, has_model_otherwise

_CLAIM = "pvc://"
#: What addresses of models in images begin with.
_IMAGES = ("oci://", "oci+")


def with_several_models(
    pod: Json, uris: Sequence[Json], around: Surroundings, container: str = ""
) -> Json:
    """Return a pod spec with all its models. container: the ClusterStorageContainer that the service names. Raises StorageRefused."""
    first = str(uris[0]["uri"])
    found = storage_container(first, around.reader, container)
    places = [(str(each["uri"]), str(each.get("mountPath") or MODEL_PATH)) for each in uris]
    images = images_among(uris, around.config.storage, around.release)
    names = tuple(readers(pod))
    if images and not has_agent(around):
        check_server(names)
        pod = with_images(pod, names, images, around)
        places = [place for place in places if not place[0].startswith(_IMAGES)]
        if not places or not reads_each(around.release):
            return pod
    elif has_model_otherwise(pod, first, around):
        return pod
    check_server(names)
    _check_container(found, first)
    for uri, path in places:
        if uri.startswith(_CLAIM):
            claim = {"persistentVolumeClaim": {"claimName": claim_parts(uri)[0]}}
            pod = _mounted(pod, names, claim, path, around)
    fetched = [place for place in places if not place[0].startswith(_CLAIM)]
    if not fetched:
        return pod
    if any(is_fetched(image.mode, around.release) for image in images):
        raise StorageRefused(
            "one init container fetches what is in images, and leaves out what is not",
            "storageUris",
            "read images another way (oci+native:// or oci+modelcar://), or put all models into images",
        )
    folder = common_folder([path for dummy, path in fetched])
    volume = {"name": volume_name(folder), "emptyDir": {}}
    pod = with_volume(_mounted(pod, names, {"emptyDir": {}}, folder, around), volume)
    args = [word for place in fetched for word in place]
    mount = {"name": volume_name(folder), "mountPath": folder}
    return with_init_container(pod, args, mount, found, around)


def _check_container(found: Json | None, uri: str) -> None:
    if found is None or found.get("supportsMultiModelDownload"):
        return
    name = (found.get("container") or {}).get("name") or ""
    raise StorageRefused(
        f'storage container "{name}" does not support multi-model download; use the default kserve storage initializer '
        "or a compatible storage container",
        "storageUris",
        f"set supportsMultiModelDownload: true in the ClusterStorageContainer that takes {uri}, if its image fetches several models",
    )


def _mounted(
    pod: Json, names: Sequence[str], source: Json, path: str, around: Surroundings
) -> Json:
    volume = {"name": volume_name(path), **source}
    mount: Json = {"name": volume_name(path), "mountPath": path}
    if around.read_only:
        mount["readOnly"] = True
    for name in names:
        pod = mounted(pod, name, volume, mount)
    return pod


def volume_name(path: str) -> str:
    """Return how a volume is called after the folder where it is mounted."""
    return path.strip("/").replace("/", "-")
