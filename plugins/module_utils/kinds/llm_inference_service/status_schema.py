# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an LLMInferenceService, as its CRD declares it. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.17.0."""

from __future__ import annotations

from ...kube.core_schema import string_map
from ...kube.schema import Integer, ListOf, Object, Text
from ..kserve.status_schema import CONDITIONS, address

_ADDRESS = address(
    "Where the service is reached.", "Who reaches it: `gateway-external`, `internal` and others."
)

STATUS = Object(
    description="What is there.",
    fields={
        "url": Text(description="Where the service is reached from outside."),
        "observedGeneration": Integer(description="Generation that was processed last.", bits=64),
        "conditions": CONDITIONS,
        "annotations": string_map("Which presets the service keeps."),
        "address": _ADDRESS,
        "addresses": ListOf(description="All addresses.", items=_ADDRESS),
    },
)
