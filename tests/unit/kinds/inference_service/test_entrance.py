# SPDX-License-Identifier: GPL-3.0-or-later
"""How an InferenceService is called: by its host name, in the protocol of its model server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from module_utils.kinds.entrance import Entrance
from module_utils.kinds.inference_service.entrance import entrance
from module_utils.kinds.inference_service.pods.build import components
from module_utils.kinds.inference_service.settings import Settings

from .world import config, model, resolved, runtime, takes

Json = dict[str, Any]
STANDARD = {"serving.kserve.io/deploymentMode": "Standard"}
KNATIVE = {"serving.kserve.io/deploymentMode": "Knative"}
GATEWAY = config(ingress={"enableGatewayApi": True, "kserveIngressGateway": "kserve/main"})


def server(*args: str, **fields: Any) -> Json:
    return {
        "containers": [{"name": "kserve-container", "image": "a:1", "args": list(args), **fields}]
    }


def entered(
    predictor: Json, *manifests: Json, annotations: Json | None = None, **parts: Any
) -> Entrance:
    found, reader = resolved(
        predictor, GATEWAY, *manifests, annotations={**STANDARD, **(annotations or {})}, **parts
    )
    return entrance(replace(found, components=components(found, reader)), Settings(), reader)


def calls(found: Entrance) -> tuple[str, str]:
    assert found.protocol is not None
    return found.protocol.check_path(found.model), found.protocol.call_path(found.model)


V1 = ("/v1/models/chat", "/v1/models/chat:predict")
V2 = ("/v2/models/chat/ready", "/v2/models/chat/infer")
WRITES = "/openai/v1/chat/completions"


@pytest.mark.parametrize(
    ("predictor", "runtimes", "expected"),
    [
        (model(), [runtime("served", takes())], V1),
        (model(protocolVersion="v2"), [runtime("served", takes(), protocolVersions=["v2"])], V2),
        (server(), [], V1),
        (server(env=[{"name": "PROTOCOL", "value": "v2"}]), [], V2),
        (server("--model_name=iris"), [], ("/v1/models/iris", "/v1/models/iris:predict")),
        (server(command=["tritonserver"], env=[{"name": "PROTOCOL", "value": "v2"}]), [], ("/v2/health/ready", "/v2/health/ready")),
        (server("--served-model-name", "m", command=["vllm", "serve"]), [], ("/v1/models", "/v1/chat/completions")),
        (model("huggingface"), [runtime("hf", takes("huggingface"))], (V1[0], WRITES)),
        (model("huggingface", args=["--task=text_generation"]), [runtime("hf", takes("huggingface"))], (V1[0], WRITES)),
        (model("huggingface", args=["--task", "token_classification"]), [runtime("hf", takes("huggingface"))], V1),
    ],
)  # fmt: skip
def test_protocol_is_that_of_the_model_server(
    predictor: Json, runtimes: list[Json], expected: tuple[str, str]
) -> None:
    assert calls(entered(predictor, *runtimes)) == expected


def test_server_without_http_is_said_to_have_none() -> None:
    grpc = runtime("served", takes(), protocolVersions=["grpc-v2"])
    found = entered(model(protocolVersion="grpc-v2"), grpc)
    assert (found.protocol, found.closed) == (None, "its model server only speaks gRPC")


def test_route_of_the_service_is_the_way_in() -> None:
    (route,) = entered(server()).routes
    assert route["spec"]["hostnames"] == ["chat-team-a.example.com"]


def test_transformer_takes_the_requests() -> None:
    found = entered(
        server(), transformer={"containers": [{"name": "kserve-container", "image": "t:1"}]}
    )
    assert found.backend is not None
    assert found.backend.name == "chat-transformer"


def test_ingress_is_the_way_in_without_the_gateway_api() -> None:
    plain = config(ingress={"enableGatewayApi": False})
    found, reader = resolved(server(), plain, annotations=STANDARD)
    (way,) = entrance(
        replace(found, components=components(found, reader)), Settings(), reader
    ).routes
    assert way["kind"] == "Ingress"


def test_knative_reports_its_own_address() -> None:
    found = entered(server(), annotations=KNATIVE)
    assert (found.routes, found.closed) == ((), "")


def test_service_for_the_cluster_alone_is_called_there() -> None:
    local = config(ingress={"enableGatewayApi": True, "disableIngressCreation": True})
    found, reader = resolved(server(), local, annotations=STANDARD)
    closed = entrance(
        replace(found, components=components(found, reader)), Settings(), reader
    ).closed
    assert closed.endswith("by http://chat-predictor.team-a.svc.cluster.local")


def test_stopped_service_says_so() -> None:
    found = entered(server(), annotations={"serving.kserve.io/stop": "true"})
    assert found.closed == "the service is stopped"
