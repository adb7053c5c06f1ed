# SPDX-License-Identifier: GPL-3.0-or-later
"""Engines that do not answer where and as requests come, and addresses that lead back into the own pod."""

from __future__ import annotations

from typing import Any

import pytest

from .checked import told_by
from .services import (
    CPU_METRIC,
    SGLANG,
    custom,
    inference_service,
    llm,
    llm_inference_service,
    model,
    model_service,
    runtime,
    server,
    split,
)
from .surroundings import CONFIG

Json = dict[str, Any]
ROUTER = {"route": {}, "gateway": {}, "scheduler": {}}
UNREACHED, LOCAL = ("engine-unreached",), ("local-address",)


SHARING: Json = {
    "name": "proxy",
    "image": "envoy:1",
    "volumeMounts": [{"name": "run", "mountPath": "/run"}],
}


def beside(container: Json, *args: str, **fields: Any) -> Json:
    """Return an InferenceService whose server has another container beside it."""
    service = custom(*args, **fields)
    predictor = service["spec"]["predictor"]
    predictor["containers"].append(container)
    predictor["volumes"] = [{"name": "run", "emptyDir": {}}]
    return service


def env(**values: str) -> list[Json]:
    return [{"name": name, "value": value} for name, value in values.items()]


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (llm("--headless", router=ROUTER), "with --headless the engine answers no requests"),
        (llm("--api-server-count=0"), "with --api-server-count"),
        (split(prefill={"template": server("--headless")}), "spec.prefill.template"),
        (custom("--uds", "/run/x"), "at a socket"),
        (beside({"name": "proxy", "image": "envoy:1"}, "--uds=/run/x"), "at a socket"),
        (beside(SHARING, "--uds=/tmp/x", volumeMounts=SHARING["volumeMounts"]), "at a socket"),
        (custom("--grpc"), "speaks gRPC"),
        (custom("--grpc-mode", **SGLANG), "speaks gRPC"),
        (custom("--ssl-certfile=/c", **SGLANG), "speaks TLS"),
        (model_service(engine={"args": ["--ssl-certfile=/c"]}), "spec.engine.args[0]"),
        (custom("--ssl-cert-reqs=2", "--ssl-certfile=/c", ports=[{"name": "https", "containerPort": 8443}]), "demands a certificate"),
    ],
)  # fmt: skip
def test_an_engine_that_requests_do_not_reach_is_told(service: Json, said: str) -> None:
    (message,) = told_by(UNREACHED, service, CONFIG, release="0.20")
    assert said in message


@pytest.mark.parametrize(
    ("service", "release"),
    [
        # There the port of the service speaks TLS.
        (llm("--ssl-certfile=/c", "--ssl-keyfile=/k"), "0.17"),
        (custom("--ssl-certfile=/c", ports=[{"name": "https", "containerPort": 8443}]), "0.20"),
        (custom("--grpc", ports=[{"name": "h2c", "containerPort": 8080}]), "0.20"),
        (llm_inference_service(worker=server("--headless"), parallelism={"data": 2, "dataLocal": 1}), "0.20"),
        (custom("if leader; then vllm serve m; else vllm serve m --headless; fi", command=["sh", "-c"]), "0.20"),
        (beside({"name": "proxy", "image": "envoy:1"}, "--ssl-certfile=/c"), "0.20"),
        (beside(SHARING, "--uds=/run/x", volumeMounts=SHARING["volumeMounts"]), "0.20"),
        (custom("--root-path=/team"), "0.20"),
        (custom("--headless", image="example.com/own:1"), "0.20"),
    ],
)  # fmt: skip
def test_an_engine_that_requests_may_reach_is_not(service: Json, release: str) -> None:
    assert told_by(UNREACHED, service, CONFIG, release=release) == []


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (llm(env=env(LMCACHE_REMOTE_URL="lm://localhost:65432")), "port 65432"),
        (llm(tracing={"exporterEndpoint": "http://localhost:4317"}), "spec.tracing.exporterEndpoint: OTEL_EXPORTER_OTLP_ENDPOINT"),
        (custom(env=env(REDIS_URL="redis://:pw-12345@127.0.0.1:6379/0")), "port 6379"),
        (custom("--feedback-url=http://localhost:9999/x", ports=[{"containerPort": 8080}]), "port 9999"),
        (model_service(engine={"env": env(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="localhost:4317")}), "spec.engine.env[0]"),
        (model(storageUri="http://localhost:9000/m.tar"), "spec.predictor.model.storageUri"),
        (inference_service(predictor={**model()["spec"]["predictor"], "logger": {"mode": "all", "url": "http://localhost:9999"}}), "spec.predictor.logger.url"),
        (inference_service(
            transformer={"containers": [{"name": "kserve-container", "image": "x", "args": ["--predictor_host=localhost:8080"]}]},
            predictor=custom()["spec"]["predictor"]), "spec.transformer.containers[0].args[0]"),
        (inference_service(
            transformer={"containers": [{"name": "kserve-container", "image": "x", "env": env(KAFKA_BROKER="localhost:9092")}]},
            predictor=custom()["spec"]["predictor"]), "spec.transformer"),
    ],
)  # fmt: skip
def test_an_address_that_leads_back_into_the_pod_is_told(service: Json, said: str) -> None:
    found = told_by(LOCAL, service, CONFIG, runtime(), release="0.20")
    assert found
    assert all(said in each and "12345" not in each for each in found)


@pytest.mark.parametrize(
    "service",
    [
        beside({"name": "redis", "image": "redis:7", "ports": [{"containerPort": 6379}]}, "--redis=redis://localhost:6379"),
        beside({"name": "cache", "image": "redis:7"}, "--redis=redis://localhost:6379"),
        custom("--dist-init-addr=localhost:5000", "--metrics-bind=127.0.0.1:4317"),
        custom("--callback=http://localhost:9999", image="example.com/own:1"),
        inference_service(predictor={**model()["spec"]["predictor"], "containers": [{
            "name": "transformer-container", "image": "x", "args": ["--predictor_host=localhost:8080"]}]}),
        custom("--self=http://localhost:8080", ports=[{"containerPort": 8080}]),
        {**custom(env=env(OTEL_EXPORTER_OTLP_ENDPOINT="http://localhost:4317")), "metadata": {
            "name": "iris", "namespace": "team-a", "annotations": {"sidecar.opentelemetry.io/inject": "true"}}},
    ],
)  # fmt: skip
def test_an_address_at_which_something_may_answer_is_not(service: Json) -> None:
    assert told_by(LOCAL, service, CONFIG, runtime(), release="0.20") == []


def test_a_trigger_that_asks_kedas_own_pod_is_told() -> None:
    metric = {
        "metric": {
            "backend": "prometheus",
            "serverAddress": "http://localhost:9090",
            "query": "up",
        },
        "target": {"type": "Value", "value": "5"},
    }
    service = custom()
    service["metadata"]["annotations"]["serving.kserve.io/autoscalerClass"] = "keda"
    service["spec"]["predictor"]["autoScaling"] = {
        "metrics": [CPU_METRIC, {"type": "External", "external": metric}]
    }
    (message,) = told_by(("trigger-address",), service, CONFIG)
    assert "KEDA asks from its own pod" in message


@pytest.mark.parametrize(
    ("container", "port"),
    [
        ({"image": "vllm/vllm-openai:v0.11.0", "args": ["--model=acme/x"]}, "8000"),
        ({"image": "own:1", "command": ["vllm", "serve", "acme/x"]}, "8000"),
        (SGLANG, "30000"),
        ({"image": "vllm/vllm-openai:v0.11.0", "command": ["sh", "-c"], "args": ["serve"]}, ""),
        ({"image": "vllm/vllm-openai:v0.11.0", "command": ["python3", "proxy.py"]}, ""),
        ({"image": "vllm/vllm-openai:v0.11.0", "args": ["--config=/opt/x.yaml"]}, ""),
        ({"image": "vllm/vllm-openai:v0.11.0", "ports": [{"containerPort": 8000}]}, ""),
        ({"image": "vllm/vllm-openai:v0.11.0", "args": ["--port=8080"]}, ""),
    ],
)
def test_an_engine_at_its_usual_port_is_told_where_another_is_asked(
    container: Json, port: str
) -> None:
    service = inference_service(
        predictor={"containers": [{"name": "kserve-container", **container}]}
    )
    found = told_by(("probe-port",), service, CONFIG)
    assert len(found) == bool(port)
    assert all(f"its pod listens on {port}" in each for each in found)
