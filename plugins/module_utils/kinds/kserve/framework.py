# SPDX-License-Identifier: GPL-3.0-or-later
"""A predictor's framework field as `model`. Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go@v0.17.0."""

from __future__ import annotations

from ...kube.manifest import Json
from ...kube.release import Since
from .releases import KServe

#: The fields of a predictor that name a model server, in the order in which the first of them becomes `model`.
FRAMEWORKS = (
    "sklearn",
    "tensorflow",
    "xgboost",
    "pytorch",
    "triton",
    "onnx",
    "huggingface",
    "pmml",
    "lightgbm",
    "paddle",
)
#: Frameworks whose servers speak only the second protocol.
_SECOND_PROTOCOL = frozenset({"triton", "onnx", "huggingface"})
#: Formats of `model` whose servers do.
_FORMATS_OF_V2: Since[frozenset[str]] = Since(
    {KServe.V0_17: frozenset({"triton"}), KServe.V0_20: frozenset({"triton", "vLLM"})}
)


def with_model(predictor: Json, release: KServe) -> Json:
    """Return a predictor whose framework field, if it has one, is in `model`."""
    framework = next((name for name in FRAMEWORKS if predictor.get(name) is not None), "")
    rest = {name: value for name, value in predictor.items() if name != framework}
    model = predictor.get("model")
    if framework:
        model = {"modelFormat": {"name": framework}, **predictor[framework]}
        if framework in _SECOND_PROTOCOL:
            model.setdefault("protocolVersion", "v2")
    elif model is not None and model_format(model) in _FORMATS_OF_V2.at(release):
        model = {"protocolVersion": "v2", **model}
    return rest if model is None else {**rest, "model": model}


def model_format(model: Json) -> str:
    """Return the name of a model's format, empty where it has none."""
    return (model.get("modelFormat") or {}).get("name") or ""


def model_of(predictor: Json) -> tuple[str, Json | None]:
    """Return the field that describes the model server, and what it says; None where there is none."""
    for field in (*FRAMEWORKS, "model"):
        if predictor.get(field) is not None:
            return field, predictor[field]
    return "", None


def authors_field(path: str, document: Json) -> str:
    """Return a field of `model` as the author of a service wrote it, who may have taken a framework's field."""
    spec = document.get("spec") or {}
    field, dummy = model_of(spec.get("predictor") or {})
    model = "spec.predictor.model"
    if field and (path == model or path.startswith(f"{model}.")):
        return f"spec.predictor.{field}{path.removeprefix(model)}"
    return path
