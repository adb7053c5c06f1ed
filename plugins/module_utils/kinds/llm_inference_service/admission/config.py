# SPDX-License-Identifier: GPL-3.0-or-later
"""All that the webhook says of an LLMInferenceServiceConfig, beside its templates.

Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_config_validation.go@v0.17.0.
"""

from __future__ import annotations

from ....kube.manifest import Json
from .field_error import FieldError
from .scheduler import replica_errors

_NO_BASES = (
    "baseRefs is not a permitted field in LLMInferenceServiceConfig, "
    "support for recursive refs has been disabled"
)


def create_errors(spec: Json) -> list[FieldError]:
    """Return what the webhook refuses about the spec of a config, of either version."""
    bases = spec.get("baseRefs")
    forbidden = [FieldError("Forbidden", "spec.baseRefs", _NO_BASES)] if bases else []
    return [*forbidden, *replica_errors(spec)]
