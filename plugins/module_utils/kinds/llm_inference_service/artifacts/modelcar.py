# SPDX-License-Identifier: GPL-3.0-or-later
"""A model in an image, beside the server of an LLMInferenceService. Source: KServe pkg/controller/v1alpha2/llmisvc/workload_storage.go@v0.17.0."""

from __future__ import annotations

from ....kube.manifest import Json
from ...kserve.pod import container_of
from ...kserve.storage import modelcar
from ..pod import MAIN
from ..resolved import Resolved
from .errors import ArtifactError
from .place import Place


def with_modelcar(pod: Json, image: str, resolved: Resolved, place: Place) -> Json:
    """Return a pod spec whose server reads the model from an image. Raises ArtifactError."""
    storage = resolved.config.storage
    if not storage.enable_modelcar:
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
    return modelcar.with_modelcar(
        pod,
        place.container,
        image,
        storage,
        release=resolved.settings.release,
        path=place.path,
    )
