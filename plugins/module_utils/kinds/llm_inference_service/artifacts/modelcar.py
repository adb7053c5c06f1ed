# SPDX-License-Identifier: GPL-3.0-or-later
"""A model in an image, beside the server of an LLMInferenceService. Source: KServe pkg/controller/v1alpha2/llmisvc/workload_storage.go@v0.17.0."""

from __future__ import annotations

from ....kube.manifest import Json
from ...kserve.pod import container_of
from ...kserve.storage import modelcar
from ...kserve.storage.model_image import NATIVE, MountTaken, image_mode, with_image_volume
from ..pod import MAIN
from ..resolved import Resolved
from .errors import ArtifactError
from .place import Place


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
    if native or mode == NATIVE:
        try:
            return with_image_volume(pod, place.container, image, place.path)
        except MountTaken as error:
            raise ArtifactError(
                str(error), "spec.template.containers", "mount that volume elsewhere"
            ) from None
    return modelcar.with_modelcar(
        pod,
        place.container,
        image,
        storage,
        release=resolved.settings.release,
        path=place.path,
    )
