# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidecar of decode pods."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.model_service.children.decode_deployment import decode_deployment
from module_utils.kube.manifest import Json

from .rendered import ALPHA2, V1, container


def proxy(spec: Json, **given: Any) -> Json:
    return container(decode_deployment, "routing-proxy", routingProxy=spec, **given)


BASIC = ["--port", "8000", "--vllm-port", "8200", "--connector", "nixlv2"]
ARGUMENTS: dict[str, tuple[str, Json, list[str]]] = {
    "defaults": (ALPHA2, {}, []),
    "defaults, later release": (V1, {}, ["--secure-proxy=false"]),
    "secure": (V1, {"secureProxy": True}, ["--secure-proxy=true"]),
    "not secure": (ALPHA2, {"secureProxy": False}, ["--secure-proxy=false"]),
    "logs": (
        ALPHA2,
        {"zapEncoder": "json", "zapLogLevel": "debug"},
        ["--zap-encoder", "json", "--zap-log-level", "debug"],
    ),
    "TLS": (
        ALPHA2,
        {"secureProxy": True, "prefillerUseTLS": True, "certPath": "/certs"},
        ["--secure-proxy=true", "--prefiller-use-tls=true", "--cert-path", "/certs"],
    ),
}


@pytest.mark.parametrize(("release", "spec", "more"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments(release: str, spec: Json, more: list[str]) -> None:
    assert proxy(spec, release=release)["args"] == BASIC + more


def test_proxy_takes_the_engines_port_and_runs_beside_vllm() -> None:
    found = proxy({}, engine={"port": 9000})
    assert found["ports"] == [{"name": "proxy", "containerPort": 9000, "protocol": "TCP"}]
    assert found["restartPolicy"] == "Always"


def test_image_is_the_authors_else_the_settings() -> None:
    options = {"images": {"routing_proxy": "default:1"}}
    assert proxy({}, options=options)["image"] == "default:1"
    assert proxy({"image": "own:1"}, options=options)["image"] == "own:1"


TRACED: dict[str, tuple[Json, list[str]]] = {
    "off": ({"otel_endpoint": "http://otel:4317"}, []),
    "on": (
        {"enabled": True, "otel_endpoint": "http://otel:4317"},
        [
            "OTEL_SERVICE_NAME",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_TRACES_EXPORTER",
            "OTEL_TRACES_SAMPLER",
            "OTEL_TRACES_SAMPLER_ARG",
        ],
    ),
    "on, without sampler": (
        {"enabled": True, "sampler": "", "sampler_arg": ""},
        ["OTEL_SERVICE_NAME", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_EXPORTER"],
    ),
}


@pytest.mark.parametrize(("tracing", "names"), TRACED.values(), ids=TRACED)
def test_environment_is_for_tracing(tracing: Json, names: list[str]) -> None:
    found = proxy({}, options={"tracing": tracing}).get("env", [])
    assert [each["name"] for each in found] == names
