# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that would share an object are found before anything is written, and both are named."""

from __future__ import annotations

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service.conflicts import (
    conflicts,
)

from .build import service, settings

POOL = {"inferencePool": {"endpointPicker": {}}}


@pytest.mark.parametrize(
    ("one", "other"),
    [("qwen3-0.6b", "qwen3-0-6b"), ("llama-3.1", "llama--3.1"), ("7b", "m-7b"), ("0.6b", "m-0-6b")],
)
def test_one_picker_for_two_services_is_refused(one: str, other: str) -> None:
    found = conflicts([service(one), service("chat"), service(other)], settings())
    assert set(found) == {0, 2}
    for number in (0, 2):
        (problem,) = found[number]
        assert (problem.severity, problem.path) == ("error", "metadata.name")
        assert f'"{one}"' in problem.message
        assert f'"{other}"' in problem.message


def test_same_name_in_two_namespaces_shares_no_picker() -> None:
    found = conflicts([service("qwen.3", "a"), service("qwen-3", "b")], settings(gateway_name=""))
    assert not found


def test_one_cluster_role_for_two_services_is_refused() -> None:
    pair = [service("a-chat", "team", **POOL), service("chat", "team-a", **POOL)]
    found = conflicts(pair, settings())
    assert [problem.rule for problem in found[0]] == ["cluster-role-collision"]
    assert "team/a-chat" in found[1][0].message
    assert "team-a-chat-epp" in found[1][0].message
    assert not conflicts(pair, settings(metrics_endpoint_auth=False))
    assert not conflicts([service("a-chat", "team"), service("chat", "team-a", **POOL)], settings())


def test_service_beside_one_called_like_its_picker_is_fine() -> None:
    assert not conflicts([service("qwen3"), service("qwen3-epp")], settings())


def test_service_given_twice_is_refused() -> None:
    found = conflicts([service("chat"), service("chat")], settings())
    assert [problem.rule for problem in found[1]] == ["service-twice"]


def test_two_default_routes_with_one_header_are_warned_about() -> None:
    pair = [service("chat", "demo"), service("chat", "prod")]
    found = conflicts(pair, settings())
    assert [problem.severity for number in (0, 1) for problem in found[number]] == [
        "warning",
        "warning",
    ]
    assert "prod/chat" in found[0][0].message
    assert "OtterScale-Model-Name: chat" in found[0][0].message
    assert not conflicts(pair, settings(gateway_name=""))


@pytest.mark.parametrize(
    ("hosts", "warned"), [(["a.example.org"], True), (["b.example.org"], False), ([], True)]
)
def test_routes_collide_where_they_share_a_host(hosts: list[str], warned: bool) -> None:
    gateway = {"name": "edge", "namespace": "infra"}
    one = service("chat", "demo", httpRoute={"gatewayRef": gateway, "hostnames": ["a.example.org"]})
    other = service("chat", "prod", httpRoute={"gatewayRef": gateway, "hostnames": hosts})
    assert bool(conflicts([one, other], settings())) is warned
