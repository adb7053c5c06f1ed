# SPDX-License-Identifier: GPL-3.0-or-later
"""An LLMInferenceService after conversion and defaulting, as everything behind it reads it.

Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.17.0.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...kube.manifest import Json
from ...kube.reference import Reference
from ..kserve.service import GROUP, KServeService

#: The version that is stored, and the only one behind the door.
API_VERSION = f"{GROUP}/v1alpha2"
KIND = "LLMInferenceService"
CONFIG_KIND = "LLMInferenceServiceConfig"


@dataclass(frozen=True, slots=True)
class LlmInferenceService(KServeService):
    """One service.

    version: the version in which it was written, `v1alpha1` or `v1alpha2`.
    spec: its own spec in v1alpha2, with defaults, before any preset is merged under it. Never changed in place.
    """

    version: str
    spec: Json

    @property
    def reference(self) -> Reference:
        """The name of the custom resource, in the version that is stored."""
        return Reference(API_VERSION, KIND, self.namespace, self.name)
