# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the Gateway API about an HTTPRoute: each has a route that breaks it, and a legal route breaks none."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.pool_schema import v1_pool_spec
from module_utils.kube.route_rules import milliseconds
from module_utils.kube.route_schema import http_route_spec
from module_utils.kube.schema_check import check

REDIRECT = {"type": "RequestRedirect", "requestRedirect": {"port": 8443}}
REPLACED = {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/"}
REWRITE = {"type": "URLRewrite", "urlRewrite": {"path": REPLACED}}
TWO = [{"path": {"value": "/a"}}, {"path": {"value": "/b"}}]
EXACT = [{"path": {"type": "Exact", "value": "/a"}}]
BACKEND = {"name": "a", "port": 80}


def rule(**fields: Any) -> dict[str, Any]:
    return {"rules": [fields]}


def path(value: str, kind: str = "PathPrefix") -> dict[str, Any]:
    return rule(matches=[{"path": {"type": kind, "value": value}}])


def mirror(**fields: Any) -> dict[str, Any]:
    return rule(
        filters=[{"type": "RequestMirror", "requestMirror": {"backendRef": BACKEND, **fields}}]
    )


BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("rules[0].timeouts", rule(timeouts={"request": "1s", "backendRequest": "1m"})),
    (
        "rules[0].sessionPersistence",
        rule(sessionPersistence={"cookieConfig": {"lifetimeType": "Permanent"}}),
    ),
    ("rules[0].backendRefs[0]", rule(backendRefs=[{"name": "a"}])),
    ("rules[0].filters[0].requestMirror", mirror(percent=5, fraction={"numerator": 1})),
    ("rules[0].filters[0].requestMirror.fraction", mirror(fraction={"numerator": 101})),
    ("rules[0].filters[0]", rule(filters=[{"type": "URLRewrite"}])),
    ("rules[0].filters[0]", rule(filters=[{**REDIRECT, "type": "URLRewrite", "urlRewrite": {}}])),
    ("rules[0].filters", rule(filters=[REDIRECT, {"type": "URLRewrite", "urlRewrite": {}}])),
    ("rules[0].filters", rule(filters=[REDIRECT, REDIRECT])),
    ("rules[0]", rule(filters=[REDIRECT], backendRefs=[BACKEND])),
    ("rules[0]", rule(filters=[REWRITE], matches=TWO)),
    ("rules[0]", rule(filters=[REWRITE], matches=EXACT)),
    ("rules[0]", rule(backendRefs=[{**BACKEND, "filters": [REWRITE]}], matches=EXACT)),
    (
        "rules[0].filters[0].urlRewrite.path",
        rule(filters=[{"type": "URLRewrite", "urlRewrite": {"path": {"type": "ReplaceFullPath"}}}]),
    ),
    ("rules[0].matches[0].path", path("a")),
    ("rules[0].matches[0].path", path("/a//b")),
    ("rules[0].matches[0].path", path("/a/../b", "Exact")),
    ("rules[0].matches[0].path", path("/a%2fb")),
    ("rules[0].matches[0].path", path("/a/.")),
    ("rules[0].matches[0].path", path("/ä")),
    ("rules", {"rules": [{"matches": [{}] * 64}] * 2 + [{"matches": [{}]}]}),
    ("hostnames[0]", {"hostnames": ["*"]}),
    ("parentRefs[0].namespace", {"parentRefs": [{"name": "a", "namespace": "A"}]}),
]


@pytest.mark.parametrize(("where", "spec"), BROKEN)
def test_a_broken_rule_is_told_at_its_place(where: str, spec: dict[str, Any]) -> None:
    found = check(http_route_spec(), spec, "", keep_empty=True).problems
    assert {problem.path for problem in found} == {where}


LEGAL: list[dict[str, Any]] = [
    {},
    rule(timeouts={"request": "0s", "backendRequest": "1m"}),
    rule(
        backendRefs=[{"name": "a", "kind": "InferencePool", "group": "inference.networking.k8s.io"}]
    ),
    rule(filters=[REWRITE], backendRefs=[BACKEND]),
    rule(filters=[REDIRECT]),
    path("a//b", "RegularExpression"),
    path("/v1/a%20b"),
    {"rules": [{"matches": [{}] * 64}] * 2},
    # The Gateway API refuses it on the route; KServe's CRD takes it.
    {"parentRefs": [{"name": "a"}, {"name": "a"}]},
]


@pytest.mark.parametrize("spec", LEGAL)
def test_a_legal_route_is_taken(spec: dict[str, Any]) -> None:
    assert not check(http_route_spec(), spec, "", keep_empty=True).problems


def test_templates_pass_in_a_config() -> None:
    spec = {
        "parentRefs": [{"name": "a", "namespace": "{{ .Namespace }}"}],
        **path("{{ .Name }}"),
    }
    assert check(http_route_spec(), spec, "").problems
    assert not check(http_route_spec(strict=False), spec, "").problems


def test_defaults_reach_into_lists() -> None:
    (made,) = check(http_route_spec(), rule(backendRefs=[BACKEND]), "").value["rules"]
    assert made["matches"] == [{"path": {"type": "PathPrefix", "value": "/"}}]
    assert made["backendRefs"] == [{**BACKEND, "group": "", "kind": "Service", "weight": 1}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1s", 1000), ("1m30s", 90_000), ("1h", 3_600_000), ("5ms", 5), ("0s", 0)],
)
def test_durations_are_compared_by_length(text: str, expected: int) -> None:
    assert milliseconds(text) == expected


POOL = {
    "selector": {"matchLabels": {"app": "a"}},
    "targetPorts": [{"number": 8000}],
    "endpointPickerRef": {"name": "a", "port": {"number": 9002}},
}


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("endpointPickerRef", {"endpointPickerRef": {"name": "a"}}),
        ("targetPorts", {"targetPorts": [{"number": 1}, {"number": 1}]}),
        ("targetPorts", {"targetPorts": [{"number": n} for n in range(1, 10)]}),
        ("selector.matchLabels", {"selector": {"matchLabels": {}}}),
    ],
)
def test_a_pool_that_cannot_be_is_told(where: str, change: dict[str, Any]) -> None:
    found = check(v1_pool_spec(), {**POOL, **change}, "", keep_empty=True).problems
    assert {problem.path for problem in found} == {where}


@pytest.mark.parametrize(
    "filters",
    [
        [{"type": "CORS", "cors": {"allowOrigins": ["https://example.com"]}}],
        [{"type": "RequestRedirect", "requestRedirect": {"statusCode": 308}}],
    ],
)
def test_what_gateway_api_1_5_brought_is_taken_where_it_is_known(
    filters: list[dict[str, Any]],
) -> None:
    spec = rule(filters=filters)
    assert check(http_route_spec(), spec, "").problems
    assert not check(http_route_spec(newer=True), spec, "").problems


@pytest.mark.parametrize(
    ("filters", "name"),
    [
        ([{"type": "RequestRedirect", "requestRedirect": {"statusCode": 305}}], "route-redirect"),
        ([{"type": "CORS", "cors": {"allowHeaders": ["*", "a"]}}], "route-cors"),
        ([{"type": "CORS", "cors": {"allowOrigins": ["ftp://x"]}}], "pattern"),
        ([{"type": "CORS"}], "route-filter"),
        ([{"type": "CORS", "cors": {}}] * 2, "route-filters"),
    ],
)
def test_what_gateway_api_1_5_refuses_is_refused(filters: list[dict[str, Any]], name: str) -> None:
    found = check(http_route_spec(newer=True), rule(filters=filters), "").problems
    assert {problem.rule for problem in found} == {name}


def test_a_route_of_gateway_api_1_5_has_a_rule() -> None:
    assert check(http_route_spec(newer=True), {"rules": []}, "", keep_empty=True).problems
    headed = rule(sessionPersistence={"type": "Header", "cookieConfig": {}})
    (problem,) = check(http_route_spec(newer=True), headed, "", keep_empty=True).problems
    assert problem.rule == "route-session"
