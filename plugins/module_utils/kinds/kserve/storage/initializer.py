# SPDX-License-Identifier: GPL-3.0-or-later
"""The init container that fetches models into a volume.

Source: KServe pkg/utils/storage.go, pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....kube.manifest import Json
from ..storage_config import Storage

NAME = "storage-initializer"
#: Where model servers look for their model.
MODEL_PATH = "/mnt/models"
#: The volume into which a model is fetched, or in which an image's container leaves a link to it.
VOLUME = "kserve-provision-location"
#: The volume of a claim that holds the model already.
CLAIM_VOLUME = "kserve-pvc-source"
_DEFAULT_IMAGE = "kserve/storage-initializer:latest"


def initializer(args: Sequence[str], storage: Storage) -> Json:
    """Return the container. args: address and folder, once for each model."""
    return {
        "name": NAME,
        "image": storage.image or _DEFAULT_IMAGE,
        "args": list(args),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "resources": {
            "limits": {"cpu": storage.cpu_limit, "memory": storage.memory_limit},
            "requests": {"cpu": storage.cpu_request, "memory": storage.memory_request},
        },
    }


def holds_model(mount: Json) -> bool:
    """Tell whether a mount holds the folder of models."""
    return f"{MODEL_PATH}/".startswith(f"{str(mount.get('mountPath')).rstrip('/')}/")


def diverted_mount(container: Json) -> int | None:
    """Return the number of the mount that keeps a container from its model, None where nothing does.

    KServe mounts no volume that the container mounts already, wherever that is.
    """
    mounts = container.get("volumeMounts") or ()
    if any(map(holds_model, mounts)):
        return None
    numbers = (
        number for number, each in enumerate(mounts) if each.get("name") in (VOLUME, CLAIM_VOLUME)
    )
    return next(numbers, None)


def claim_parts(uri: str) -> tuple[str, str]:
    """Return the claim and the folder of `pvc://claim/folder`."""
    claim, dummy, path = uri.removeprefix("pvc://").partition("/")
    return claim, path


def common_folder(paths: Sequence[str]) -> str:
    """Return the deepest folder that holds all paths; a single path is its own."""
    if len(paths) == 1:
        return paths[0]
    parts = [path.strip("/").split("/") for path in paths]
    common = []
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        common.append(level[0])
    return "/" + "/".join(common)
