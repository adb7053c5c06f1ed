# SPDX-License-Identifier: GPL-3.0-or-later
"""Encrypted models. Source: KServe pkg/apis/serving/v1beta1/inference_service_validation.go@v0.20.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ...kserve.confidential import KEY_FORM, asked_key, key_is_wrong, without_effect
from ...kserve.framework import model_of


def confidential_problems(predictor: Json) -> Iterator[Problem]:
    """Yield what is wrong with an encrypted model, and why nothing is decrypted."""
    field, model = model_of(predictor)
    asked = (model or {}).get("confidential")
    key = asked_key(asked)
    if key is None:
        return
    path = f"spec.predictor.{field}.confidential"
    uri = str((model or {}).get("storageUri") or "")
    if not uri:
        message = "confidential model serving requires storageUri to be set; give the model its storageUri"
        yield Problem(path, message, rule="confidential")
    if key_is_wrong(asked):
        yield Problem(f"{path}.resourceId", f"{show(key)} {KEY_FORM}", rule="confidential")
    for text in without_effect(asked, uri):
        yield Problem(path, text, "warning", rule="confidential")
