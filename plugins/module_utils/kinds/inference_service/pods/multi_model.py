# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictors that serve one model after another. Source: KServe pkg/controller/v1beta1/inferenceservice/components/component.go@v0.17.0."""

from __future__ import annotations

from ....kube.manifest import Json
from ...kserve.pod import variable_of

_FLAG = "MULTI_MODEL_SERVER"
#: A server that fetches its model itself.
_WITHOUT_STORAGE = "huggingface"


def is_multi_model(predictor: Json) -> bool:
    """Tell whether a predictor's models come from a ConfigMap: by its container's own word, or because it names no model."""
    containers = predictor.get("containers") or ()
    if containers:
        flag = variable_of(containers[0], _FLAG) or {}
        return flag.get("value") == "true"
    model = predictor.get("model") or {}
    if (model.get("modelFormat") or {}).get("name") == _WITHOUT_STORAGE:
        return False
    named = model.get("storageUri") is not None or model.get("storage") is not None
    return not named and not predictor.get("storageUris")
