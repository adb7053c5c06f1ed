# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API accepts but cannot do what its author wants is rendered and warned about."""

from __future__ import annotations

from typing import Any

import pytest

from .build import document, errors, problems, settings, warnings

PROXY = {"secureProxy": False}


def _model(**model: Any) -> dict[str, Any]:
    return document(model={"name": "a", "image": "b", **model})


def _args(*args: str) -> dict[str, Any]:
    return document(engine={"args": list(args)})


def _env(*env: dict[str, Any]) -> dict[str, Any]:
    return document(engine={"env": list(env)})


def _mount(path: str) -> dict[str, Any]:
    return _model(mountPath=path)


def _split(tensor: int, decode: int = 1, **proxy: Any) -> dict[str, Any]:
    return document(
        engine={"args": ["--kv-transfer-config={}"]},
        decode={"parallelism": {"tensor": decode}},
        prefill={"parallelism": {"tensor": tensor}},
        routingProxy={**PROXY, **proxy},
    )


def _by_hand(accelerator: str, **limits: str) -> dict[str, Any]:
    named = {name.replace("__", "/").replace("_", "."): amount for name, amount in limits.items()}
    return document(accelerator={"type": accelerator}, decode={"resources": {"limits": named}})


def _monitor(**monitor: Any) -> dict[str, Any]:
    return document(
        monitoring={"podMonitor": {"enabled": True, **monitor}},
        inferencePool={"endpointPicker": {}},
    )


WARNED = {
    "device by hand": (
        _by_hand("nvidia", nvidia_com__gpu="2"), "devices-by-hand",
        ['spec.decode.resources.limits["nvidia.com/gpu"]', "2 is replaced by 1"]),
    "device on cpu": (
        _by_hand("cpu", nvidia_com__gpu="1"), "devices-by-hand", ["spec.decode.resources", "nvidia.com/gpu", "accelerator.type is cpu"]),
    "other vendor": (_by_hand("nvidia", amd_com__gpu="1"), "devices-by-hand", ["amd.com/gpu", "nvidia"]),
    "data parallel without devices": (
        document(decode={"parallelism": {"data": 4}}), "data-parallel-devices", ["spec.decode.parallelism.data", "dataLocal to 4"]),
    "image that nobody filled in": (
        document(engine={"image": "{{ image }}"}), "image", ["spec.engine.image", '"{", " ", "}"', "not templated"]),
    "model that no registry has": (_model(image="a model"), "image", ["spec.model.image", '" "']),
    "relative mount path": (_mount("models"), "mount-path", ['"models"', "relative"]),
    "mount path with colon": (_mount("/models:ro"), "mount-path", ["colon"]),
    "mount path with blank": (_mount("/my models"), "mount-path", ["blank"]),
    "root": (_mount("/"), "mount-path", ["whole image"]),
    "credentials folder": (_mount("/.docker"), "mount-path", ["pull secret"]),
    "same folder with a slash": (_mount("/tmp/model-oci/"), "mount-path", ["scratch volume"]),
    "second pull secret": (
        _model(imagePullSecrets=[{"name": "a"}, {"name": "b"}]), "first-pull-secret", ["spec.model.imagePullSecrets", '"a"', '"b"']),
    "variable given twice": (
        _env({"name": "A", "value": "1"}, {"name": "A", "value": "2"}), "env-duplicate", ["spec.engine.env[0]", "A", "env[1]"]),
    "computed variable": (_env({"name": "TP_SIZE", "value": "9"}), "env-computed", ["spec.engine.env[0]", "TP_SIZE"]),
    "proxy and engine on one port": (
        document(engine={"port": 8200}, routingProxy=PROXY), "proxy-port", ["spec.routingProxy.targetPort", "8200"]),
    "unknown connector": (_split(1, connector="nixl"), "connector", ['"nixl"', "nixlv2, shared-storage, sglang"]),
    "certificate": (_split(1, certPath="/certs"), "certificate", ["spec.routingProxy.certPath", "/certs"]),
    "TLS by accident": (document(routingProxy={}), "secure-proxy", ["spec.routingProxy.secureProxy", "false"]),
    "port number for a port name": (
        _monitor(portName="8000"), "monitor-port", ["spec.monitoring.podMonitor.portName", '"8000"', "http"]),
    "no such port": (_monitor(portName="metrics"), "monitor-port", ['"metrics"', "http"]),
}  # fmt: skip


@pytest.mark.parametrize(("given", "rule", "texts"), WARNED.values(), ids=WARNED)
def test_useless_input_is_warned_about(given: dict[str, Any], rule: str, texts: list[str]) -> None:
    found = warnings(given)
    assert rule in found
    assert all(text in found[rule] for text in texts), found[rule]
    assert not errors(given)


def test_plain_service_has_one_warning_only() -> None:
    found = problems(document())
    assert [problem.rule for problem in found] == ["plain-http"]
    assert found[0].path == "spec.model.image"
    assert not problems(document(), settings(model_registry={"plain_http": False}))
    assert not problems(document(), settings(images={"model_kit": ""}))


SILENT = {
    "shared memory": (document(decode={"parallelism": {"tensor": 4}}), {"shared_memory": "16Gi"}),
    "dotted name without Istio": (document("qwen3-0.6b"), {"provider": "none"}),
    "matching device": (_by_hand("nvidia", nvidia_com__gpu="1"), {}),
    "arguments": (
        _args("--max-model-len=8192", "--kv-transfer-config", '{"a": "b c"}', "two words"),
        {},
    ),
    "complete split": (_split(1), {}),
    "monitor that is off": (
        document(
            monitoring={"podMonitor": {"enabled": False, "interval": "soon", "portName": "1"}}
        ),
        {},
    ),
}


@pytest.mark.parametrize(("given", "options"), SILENT.values(), ids=SILENT)
def test_useful_input_is_not_warned_about(given: dict[str, Any], options: dict[str, Any]) -> None:
    assert not warnings(given, settings(**options))
    assert not errors(given, settings(**options))


def test_later_release_switches_the_proxys_tls_off() -> None:
    assert "secure-proxy" not in warnings(document(routingProxy={}), settings("1.0.1"))


@pytest.mark.parametrize(
    ("value", "warned"),
    [("5600", False), ("+5600", False), ("55a", True), ("70000", True), ("$(P)", False)],
)
def test_side_channel_port_is_checked_where_it_is_opened(value: str, warned: bool) -> None:
    given = _env({"name": "VLLM_NIXL_SIDE_CHANNEL_PORT", "value": value})
    assert ("nixl-port" in warnings(given, settings("1.0.1"))) is warned
    assert "nixl-port" not in warnings(given)


def test_monitor_of_the_picker_without_its_token_is_warned_about() -> None:
    assert "monitor-token" in warnings(_monitor(), settings(provider="gke"))
    assert "monitor-token" not in warnings(
        _monitor(), settings(provider="gke", metrics_endpoint_auth=False)
    )


def test_tracing_without_a_collector_is_warned_about() -> None:
    assert "tracing-endpoint" in warnings(document(), settings(tracing={"enabled": True}))
