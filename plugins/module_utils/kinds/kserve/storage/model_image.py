# SPDX-License-Identifier: GPL-3.0-or-later
"""How models in images are read: by a container beside the server, or as a volume. Source: KServe pkg/utils/storage.go, pkg/types/config.go@v0.20.0."""

from __future__ import annotations

import re

from ....kube.manifest import Json
from ....kube.release import Since
from ..pod import container_of, mounted
from ..releases import KServe
from ..storage_config import Storage

BESIDE, NATIVE, FETCH = "modelcar", "native", "fetch"
#: What the address of an image begins with.
SCHEME = "oci://"
#: An address may say itself how its image is read: `oci+native://`.
_ADDRESS = re.compile(r"oci(\+(?P<mode>[^:]+))?://(?P<image>.*)", re.DOTALL)
#: Whether configuration and address say how models in images are read.
_HAS_MODES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})


#: Whether the init container can fetch them.
_FETCHES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})


class MountTaken(Exception):
    """Something else is mounted where a server looks for its model."""


def image_mode(storage: Storage, release: KServe) -> str:
    """Return how models in images are read: by a container beside the server, or as a volume (`native`); empty for not at all."""
    if not _HAS_MODES.at(release):
        return BESIDE if storage.enable_modelcar else ""
    switched_on = storage.enable_modelcar or storage.enable_images
    return storage.image_mode or (BESIDE if switched_on else "")


def model_image(uri: str, storage: Storage, release: KServe) -> tuple[str, str]:
    """Return the image that an address names, and how it is read; empty texts for another address, and for images that are not read."""
    found = _ADDRESS.fullmatch(uri)
    configured = image_mode(storage, release)
    if found is None or not configured:
        return "", ""
    asked = found["mode"] or ""
    if asked and not _HAS_MODES.at(release):
        return "", ""
    return found["image"], asked or configured


def is_fetched(mode: str, release: KServe) -> bool:
    """Tell whether the init container fetches a model in an image; earlier releases read such a one from a container beside the server."""
    return mode == FETCH and _FETCHES.at(release)


def with_image_volume(pod: Json, server: str, image: str, path: str) -> Json:
    """Return a pod spec with an image as a volume, which Kubernetes knows from 1.31 on. Raises MountTaken."""
    name = path.strip("/").replace("/", "-")
    container = container_of(pod, server) or {}
    for taken in container.get("volumeMounts") or ():
        if taken.get("mountPath") == path and taken.get("name") != name:
            raise MountTaken(f'mountPath "{path}" already used by volume "{taken.get("name")}"')
    volume = {"name": name, "image": {"reference": image, "pullPolicy": "IfNotPresent"}}
    mount = {"name": name, "mountPath": path, "subPath": "models", "readOnly": True}
    return mounted(pod, server, volume, mount)
