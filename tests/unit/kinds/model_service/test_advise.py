# SPDX-License-Identifier: GPL-3.0-or-later
"""A route that no gateway serves is warned about where that can be seen."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects
from tests.objects import Cluster, thing
from tests.unit.checks.checked import checked

from .build import service, settings

ROUTED = service(httpRoute={"gatewayRef": {"name": "edge", "namespace": "infra"}})


def gateway(*listeners: Json, name: str = "edge", namespace: str = "infra") -> Json:
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"gatewayClassName": "example", "listeners": list(listeners)},
    }


def listener(protocol: str = "HTTP", **allowed: Any) -> Json:
    return {
        "name": "http",
        "port": 80,
        "protocol": protocol,
        **({"allowedRoutes": allowed} if allowed else {}),
    }


def namespace(**labels: str) -> Json:
    return thing("v1", "Namespace", "team-a", metadata={"labels": labels})


def selector(**wanted: Any) -> Json:
    return listener(namespaces={"from": "Selector", "selector": wanted})


ALL = listener(namespaces={"from": "All"})
NAME = "kubernetes.io/metadata.name"
LISTENERS = {
    "same by default": ([gateway(listener())], True),
    "same": ([gateway(listener(namespaces={"from": "Same"}))], True),
    "none": ([gateway(listener(namespaces={"from": "None"}))], True),
    "all": ([gateway(ALL)], False),
    "one of two": ([gateway(listener(), ALL)], False),
    "selected": ([gateway(selector(matchLabels={"llm": "yes"})), namespace(llm="yes")], False),
    "not selected": ([gateway(selector(matchLabels={"llm": "yes"})), namespace(llm="no")], True),
    "labels not known": ([gateway(selector(matchLabels={"llm": "yes"}))], False),
    "selected by name": ([gateway(selector(matchLabels={NAME: "team-a"}))], False),
    "not selected by name": (
        [gateway(selector(matchExpressions=[{"key": NAME, "operator": "In", "values": ["b"]}]))], True),
}  # fmt: skip


@pytest.mark.parametrize(("objects", "warned"), LISTENERS.values(), ids=LISTENERS)
def test_gateway_has_to_admit_the_namespace(objects: list[Json], warned: bool) -> None:
    found = checked(ROUTED, settings(), GivenObjects(objects))
    assert bool(found) is warned
    for problem in found:
        assert (problem.path, problem.severity) == ("spec.httpRoute.gatewayRef", "warning")
        assert all(text in problem.message for text in ("infra/edge", "allowedRoutes", "team-a"))


@pytest.mark.parametrize(
    "only",
    [
        listener("TCP", namespaces={"from": "All"}),
        listener(namespaces={"from": "All"}, kinds=[{"kind": "GRPCRoute"}]),
    ],
    ids=["TCP", "other kinds"],
)
def test_gateway_has_to_take_http_routes(only: Json) -> None:
    (problem,) = checked(ROUTED, settings(), GivenObjects([gateway(only)]))
    assert (problem.path, problem.severity) == ("spec.httpRoute.gatewayRef", "warning")
    assert "no listener of Gateway infra/edge takes HTTPRoutes" in problem.message


def test_gateway_in_the_same_namespace_admits_by_default() -> None:
    near = service(httpRoute={"gatewayRef": {"name": "edge"}})
    assert not checked(near, settings(), GivenObjects([gateway(listener(), namespace="team-a")]))


def test_missing_gateway_is_named_only_where_its_absence_is_sure() -> None:
    assert not checked(ROUTED, settings(), GivenObjects())
    (problem,) = checked(ROUTED, settings(), Cluster())
    assert "infra/edge" in problem.message


def test_default_route_needs_the_gateway_of_the_settings() -> None:
    (problem,) = checked(service(), settings(), Cluster())
    assert "llm-d/llm-d-infra-inference-gateway" in problem.message
    assert "gateway_name" in problem.message
    assert not checked(service(), settings(gateway_name=""), Cluster())
    given = gateway(listener(), name="llm-d-infra-inference-gateway", namespace="llm-d")
    (problem,) = checked(service(), settings(), GivenObjects([given]))
    assert "allowedRoutes" in problem.message
