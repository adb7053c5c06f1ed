# SPDX-License-Identifier: GPL-3.0-or-later
"""Pool, route, DestinationRule and PodMonitors."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.model_service.children.destination_rule import destination_rule
from module_utils.kinds.model_service.children.http_route import http_route
from module_utils.kinds.model_service.children.inference_pool import inference_pool
from module_utils.kinds.model_service.children.pod_monitor import (
    decode_pod_monitor,
    prefill_pod_monitor,
)
from module_utils.kube.manifest import Json

from .rendered import ALPHA2, V1, child, manifest

GATEWAY = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}


def picker(**given: Any) -> Json:
    return {"inferencePool": {"endpointPicker": given}}


POOLS: dict[str, tuple[Json, int, str]] = {
    "no block": ({}, 9002, "FailClose"),
    "empty block": (picker(), 9002, "FailOpen"),
    "given": (picker(port=9443, failureMode="FailClose"), 9443, "FailClose"),
}


@pytest.mark.parametrize(("given", "port", "mode"), POOLS.values(), ids=POOLS)
def test_pool_names_its_picker(given: Json, port: int, mode: str) -> None:
    spec = manifest(inference_pool, name="qwen3-0.6b", **given)["spec"]
    assert spec["endpointPickerRef"] == {
        "group": "",
        "kind": "Service",
        "name": "qwen3-0-6b-epp",
        "port": {"number": port},
        "failureMode": mode,
    }


def test_pool_sends_to_the_engines_port_even_where_a_proxy_listens_there() -> None:
    spec = manifest(inference_pool, engine={"port": 9000}, routingProxy={})["spec"]
    assert spec["targetPorts"] == [{"number": 9000}]


def route(**gateway: str) -> Json:
    return {"httpRoute": {"gatewayRef": {"name": "edge", **gateway}}}


PARENTS: dict[str, tuple[Json, Json]] = {
    "default": ({}, {**GATEWAY, "name": "llm-d-infra-inference-gateway", "namespace": "llm-d"}),
    "default of the later release": (
        {"release": V1},
        {**GATEWAY, "name": "otterscale-llm-d-infra-inference-gateway", "namespace": "llm-d"},
    ),
    "default from the settings": (
        {"options": {"gateway_name": "edge", "gateway_namespace": "infra"}},
        {**GATEWAY, "name": "edge", "namespace": "infra"},
    ),
    "given": (route(), {"name": "edge"}),
    "own namespace": (route(namespace="team-a"), {"name": "edge"}),
    "other namespace": (route(namespace="infra"), {"name": "edge", "namespace": "infra"}),
}


@pytest.mark.parametrize(("given", "parent"), PARENTS.values(), ids=PARENTS)
def test_route_hangs_on_its_gateway(given: Json, parent: Json) -> None:
    assert manifest(http_route, **given)["spec"]["parentRefs"] == [parent]


def test_empty_gateway_name_switches_only_the_default_route_off() -> None:
    options = {"gateway_name": ""}
    assert child(http_route, options=options) is None
    assert child(http_route, options=options, **route()) is not None


def test_hostnames_keep_their_order_and_are_absent_when_empty() -> None:
    given = route()
    assert "hostnames" not in manifest(http_route, **given)["spec"]
    given["httpRoute"]["hostnames"] = ["b.example.org", "a.example.org"]
    assert manifest(http_route, **given)["spec"]["hostnames"] == ["b.example.org", "a.example.org"]


@pytest.mark.parametrize(("provider", "there"), [("istio", True), ("gke", False), ("none", False)])
def test_only_istio_gets_a_destination_rule(provider: str, there: bool) -> None:
    assert (child(destination_rule, options={"provider": provider}) is not None) is there


def test_destination_rule_follows_the_clusters_domain() -> None:
    found = manifest(destination_rule, options={"cluster_domain": "corp.example"})
    assert found["spec"]["host"] == "chat-epp.team-a.svc.corp.example"


def monitor(**given: Any) -> Json:
    return {"monitoring": {"podMonitor": given}}


MONITORS: dict[str, tuple[str, Json, bool]] = {
    "absent": (ALPHA2, {}, False),
    "absent, later release": (V1, {}, True),
    "empty monitoring, later release": (V1, {"monitoring": {}}, True),
    "empty block": (ALPHA2, monitor(), False),
    "empty block, later release": (V1, monitor(), False),
    "on": (ALPHA2, monitor(enabled=True), True),
    "off, later release": (V1, monitor(enabled=False), False),
}


@pytest.mark.parametrize(("release", "spec", "there"), MONITORS.values(), ids=MONITORS)
def test_monitors_are_on_where_the_release_or_the_author_says_so(
    release: str, spec: Json, there: bool
) -> None:
    assert (child(decode_pod_monitor, release=release, **spec) is not None) is there
    assert child(prefill_pod_monitor, release=release, **spec) is None
    both = {**spec, "prefill": {}}
    assert (child(prefill_pod_monitor, release=release, **both) is not None) is there


def test_monitor_follows_the_author() -> None:
    spec = monitor(enabled=True, portName="http", path="/m", interval="15s")
    found = manifest(decode_pod_monitor, **spec)["spec"]["podMetricsEndpoints"]
    assert found == [{"port": "http", "path": "/m", "interval": "15s"}]


@pytest.mark.parametrize(
    ("release", "label", "relabelled"), [(ALPHA2, True, False), (V1, False, True)]
)
def test_monitor_follows_the_release(release: str, label: bool, relabelled: bool) -> None:
    found = manifest(decode_pod_monitor, release=release, **monitor(enabled=True))
    assert ("llm-d.ai/inference-serving" in found["metadata"]["labels"]) is label
    assert ("relabelings" in found["spec"]["podMetricsEndpoints"][0]) is relabelled
