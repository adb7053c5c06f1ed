# SPDX-License-Identifier: GPL-3.0-or-later
"""Encrypted models. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.20.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json, value_at
from ....kube.problem import Problem
from ...kserve.confidential import KEY_FORM, key_is_wrong, without_effect
from .field_error import FieldError


def errors(spec: Json) -> Iterator[FieldError]:
    """Yield what is wrong with the key of an encrypted model."""
    asked = value_at(spec, ("model", "confidential"))
    if key_is_wrong(asked):
        yield FieldError(
            "Invalid", "spec.model.confidential.resourceId", KEY_FORM, asked["resourceId"]
        )


def warnings(spec: Json) -> Iterator[Problem]:
    """Yield why nothing is decrypted."""
    model = spec.get("model") or {}
    for text in without_effect(model.get("confidential"), str(model.get("uri") or "")):
        yield Problem("spec.model.confidential", text, "warning", rule="confidential")
