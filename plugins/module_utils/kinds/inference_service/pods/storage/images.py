# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in images: one server reads one or several. Source: KServe pkg/webhook/admission/pod/storage_initializer_injector.go@v0.20.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .....kube.manifest import Json
from .....kube.release import Since
from ....kserve.releases import KServe
from ....kserve.storage.initializer import MODEL_PATH
from ....kserve.storage.model_image import (
    NATIVE,
    MountTaken,
    is_fetched,
    model_image,
    with_image_volume,
)
from ....kserve.storage.modelcar import with_modelcar
from ....kserve.storage.refused import StorageRefused
from ....kserve.storage_config import Storage
from .context import Surroundings
from .fetched_image import with_fetched_image

#: So many images may one pod read.
_MOST = 10


class _Facts(NamedTuple):
    """in_lists: a model of `storageUris` may be in an image. each: all of them are read, with what is not in an image."""

    in_lists: bool
    each: bool


_FACTS: Since[_Facts] = Since(
    {
        KServe.V0_17: _Facts(in_lists=False, each=False),
        KServe.V0_19: _Facts(in_lists=True, each=False),
        KServe.V0_20: _Facts(in_lists=True, each=True),
    }
)


class ModelImage(NamedTuple):
    """A model in an image. mode: how it is read. path: where the server finds it."""

    image: str
    mode: str
    path: str


def reads_each(release: KServe) -> bool:
    """Tell whether all images of a list are read, and what is not in an image as well."""
    return _FACTS.at(release).each


def images_among(uris: Sequence[Json], storage: Storage, release: KServe) -> list[ModelImage]:
    """Return each model of a list that is in an image, where a release reads such models."""
    if not _FACTS.at(release).in_lists:
        return []
    read = (
        (*model_image(str(each["uri"]), storage, release), str(each.get("mountPath") or MODEL_PATH))
        for each in uris
    )
    return [ModelImage(image, mode, path) for image, mode, path in read if mode]


def with_image(
    pod: Json,
    server: str,
    image: str,
    mode: str,
    around: Surroundings,
    *,
    path: str = MODEL_PATH,
    number: int = 0,
) -> Json:
    """Return a pod spec whose server reads a model from an image. number: of those that it reads before. Raises StorageRefused."""
    if is_fetched(mode, around.release):
        return with_fetched_image(pod, server, image, path, around)
    if mode != NATIVE:
        storage, release = around.config.storage, around.release
        return with_modelcar(pod, server, image, storage, release=release, path=path, number=number)
    try:
        return with_image_volume(pod, server, image, path)
    except MountTaken as error:
        raise StorageRefused(str(error), "containers", "mount that volume elsewhere") from None


def with_images(
    pod: Json, servers: Sequence[str], images: Sequence[ModelImage], around: Surroundings
) -> Json:
    """Return a pod spec whose servers read models from images. Raises StorageRefused."""
    each = reads_each(around.release)
    if each:
        _check(images)
    for number, one in enumerate(images):
        for name in servers:
            pod = with_image(
                pod,
                name,
                one.image,
                one.mode,
                around,
                path=one.path,
                number=number if each else 0,
            )
    return pod


def _check(images: Sequence[ModelImage]) -> None:
    """Raise StorageRefused for more images than a pod may read, and for two that would be mounted over each other."""
    if len(images) > _MOST:
        message = f"too many OCI sources ({len(images)}); maximum is {_MOST} per pod"
        raise StorageRefused(message, "storageUris", "put several models into one image")
    seen: dict[str, str] = {}
    for one in images:
        beside = one.mode != NATIVE
        taken = one.path.rpartition("/")[0] or "/" if beside else one.path
        if taken in seen:
            message = (
                f'OCI mount paths "{seen[taken]}" and "{one.path}" share parent directory "{taken}", which would cause volume '
                "mount shadowing; use mount paths with distinct parent directories"
                if beside
                else f'OCI mount path "{one.path}" is specified more than once; each native ImageVolume must have a unique mount path'
            )
            raise StorageRefused(message, "storageUris", "give each image a mountPath of its own")
        seen[taken] = one.path
