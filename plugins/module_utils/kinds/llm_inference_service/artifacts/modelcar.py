# SPDX-License-Identifier: GPL-3.0-or-later
"""A model in an image, beside the server of an LLMInferenceService. Source: KServe pkg/controller/v1alpha2/llmisvc/workload_storage.go@v0.17.0."""

from __future__ import annotations

from ....kube.manifest import Json
from ....kube.release import Since
from ...kserve.pod import container_of, mounted
from ...kserve.releases import KServe
from ...kserve.storage import modelcar
from ...kserve.storage_config import Storage
from ..pod import MAIN
from ..resolved import Resolved
from .errors import ArtifactError
from .place import Place

#: Whether the configuration says how models in images are read.
_HAS_MODES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})
_BESIDE, _NATIVE = "modelcar", "native"


def image_mode(storage: Storage, release: KServe) -> str:
    """Return how models in images are read: by a container beside the server, or as a volume (`native`); empty for not at all."""
    if not _HAS_MODES.at(release):
        return _BESIDE if storage.enable_modelcar else ""
    switched_on = storage.enable_modelcar or storage.enable_images
    return storage.image_mode or (_BESIDE if switched_on else "")


def with_model_image(
    pod: Json, image: str, resolved: Resolved, place: Place, *, native: bool = False
) -> Json:
    """Return a pod spec whose server reads the model from an image. native: as a volume, whatever is configured. Raises ArtifactError."""
    storage = resolved.config.storage
    mode = image_mode(storage, resolved.settings.release)
    if not (native or mode):
        raise ArtifactError(
            "OCI modelcars is not enabled",
            "spec.model.uri",
            "set enableModelcar in the part storageInitializer of inferenceservice-config, or use hf://, s3:// or pvc://",
        )
    if container_of(pod, place.container) is None:
        raise ArtifactError(
            f"no container found with name {place.container}",
            "spec.template.containers",
            f'call the container of the model server "{MAIN}"',
        )
    if native or mode == _NATIVE:
        return _with_volume(pod, image, place)
    return modelcar.with_modelcar(
        pod,
        place.container,
        image,
        storage,
        release=resolved.settings.release,
        path=place.path,
    )


def _with_volume(pod: Json, image: str, place: Place) -> Json:
    """Return a pod spec with an image as a volume, which Kubernetes knows from 1.31 on."""
    name = place.path.strip("/").replace("/", "-")
    server = container_of(pod, place.container) or {}
    for taken in server.get("volumeMounts") or ():
        if taken.get("mountPath") == place.path and taken.get("name") != name:
            raise ArtifactError(
                f'mountPath "{place.path}" already used by volume "{taken.get("name")}"',
                "spec.template.containers",
                "mount that volume elsewhere",
            )
    volume = {"name": name, "image": {"reference": image, "pullPolicy": "IfNotPresent"}}
    mount = {"name": name, "mountPath": place.path, "subPath": "models", "readOnly": True}
    return mounted(pod, place.container, volume, mount)
