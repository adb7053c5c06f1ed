# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model gets because of the server that serves it. Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping

from ....kube.manifest import Json
from ...kserve.pod import variable_of, with_variables
from .runtime import Runtime

SERVER_TYPE = "serving.kserve.io/server-type"
#: What runtimes without that annotation are known by.
_BY_NAME = {
    "kserve-mlserver": "mlserver",
    "kserve-tritonserver": "tritonserver",
    "kserve-torchserve": "torchserve",
}
_MODEL_CLASSES = {
    "xgboost": "mlserver_xgboost.XGBoostModel",
    "lightgbm": "mlserver_lightgbm.LightGBMModel",
    "mlflow": "mlserver_mlflow.MLflowRuntime",
}
_DEFAULT_MODEL_CLASS = "mlserver_sklearn.SKLearnModel"


def with_runtime_defaults(
    model: Json, runtime: Runtime, service: str
) -> tuple[Json, Mapping[str, str]]:
    """Return the model as its server wants it, and the labels that the service gets. service: its name."""
    match runtime.annotations.get(SERVER_TYPE, _BY_NAME.get(runtime.name)):
        case "mlserver":
            return _mlserver(model, service)
        case "tritonserver":
            return _triton(model), {}
        case "torchserve":
            return _torchserve(model)
    return model, {}


def _has_storage(model: Json) -> bool:
    return model.get("storageUri") is not None or model.get("storage") is not None


def _with_protocol(model: Json, protocol: str) -> Json:
    return model if model.get("protocolVersion") else {**model, "protocolVersion": protocol}


def _mlserver(model: Json, service: str) -> tuple[Json, Mapping[str, str]]:
    variables = {"MLSERVER_LOAD_MODELS_AT_STARTUP": "false"}
    if _has_storage(model):
        variables = {"MLSERVER_MODEL_NAME": service, "MLSERVER_MODEL_URI": "/mnt/models"}
    missing = [
        {"name": name, "value": value}
        for name, value in variables.items()
        if variable_of(model, name) is None
    ]
    model = with_variables(_with_protocol(model, "v2"), missing)
    name = str((model.get("modelFormat") or {}).get("name"))
    return model, {"modelClass": _MODEL_CLASSES.get(name, _DEFAULT_MODEL_CLASS)}


def _triton(model: Json) -> Json:
    model = _with_protocol(model, "v2")
    if _has_storage(model):
        return model
    return {**model, "args": [*(model.get("args") or ()), "--model-control-mode=explicit"]}


def _torchserve(model: Json) -> tuple[Json, Mapping[str, str]]:
    model = _with_protocol(model, "v1")
    protocol = model["protocolVersion"]
    envelope = "kservev2" if protocol in ("v2", "grpc-v2") else "kserve"
    variable = {"name": "PROTOCOL_VERSION", "value": protocol}
    return with_variables(model, [variable]), {"serviceEnvelope": envelope}
