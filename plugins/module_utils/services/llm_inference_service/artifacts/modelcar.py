# SPDX-License-Identifier: GPL-3.0-or-later
"""A model in an image, beside the server of an LLMInferenceService. Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.7."""

from __future__ import annotations

from ....kube.manifest import Json
from ...kserve.pod import container_of
from ...kserve.storage import modelcar
from ...kserve.storage_config import Storage
from ..pod import MAIN
from .errors import ArtifactError


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
    return modelcar.with_modelcar(pod, MAIN, image, storage)
