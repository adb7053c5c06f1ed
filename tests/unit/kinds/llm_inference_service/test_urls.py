# SPDX-License-Identifier: GPL-3.0-or-later
"""Which URLs come of gateways, paths and addresses. Source: KServe pkg/controller/v1alpha2/llmisvc/router_discovery_test.go@v0.17.0.

Without more: a route without rules at a Gateway with one listener HTTP:80.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.router.urls import (
    DiscoveryError,
    attached_gateways,
)
from tests.objects import Cluster

from .url_world import A_HOST, HTTPS, POOL, found, rule
from .world import NAMESPACE, gateway, listener, route, service

Json = dict[str, Any]


URLS: list[tuple[str, list[Json], Json, str, list[str]]] = [
    ("an address becomes a URL", [gateway()], route(), "http", ["http://203.0.113.1/"]),
    (
        "addresses come in order",
        [gateway(addresses=("203.0.113.2", "203.0.113.1"))],
        route(),
        "http",
        ["http://203.0.113.1/", "http://203.0.113.2/"],
    ),
    (
        "the host of a route beats its listener's wildcard",
        [gateway(listeners=[listener(host="*.example.com")])],
        route(A_HOST),
        "http",
        ["http://api.example.com/"],
    ),
    (
        "a host of any name is none",
        [gateway()],
        route({"hostnames": ["*"]}),
        "http",
        ["http://203.0.113.1/"],
    ),
    (
        "hosts come in order",
        [gateway()],
        route({"hostnames": ["b.example.com", "a.example.com"]}),
        "http",
        ["http://a.example.com/", "http://b.example.com/"],
    ),
    (
        "a path is escaped as Go writes it",
        [gateway()],
        route({"rules": [rule("/r[a-z]+(x|y)?z #f^")]}),
        "http",
        ["http://203.0.113.1/r%5Ba-z%5D+%28x%7Cy%29?z #f%5E"],
    ),
    (
        "what Go takes for escaped stays",
        [gateway()],
        route({"rules": [rule("/v1/[a-z]+%2Fb")]}),
        "http",
        ["http://203.0.113.1/v1/[a-z]+%2Fb"],
    ),
    (
        "a path is appended",
        [gateway()],
        route({"rules": [rule("/api/v1")]}),
        "http",
        ["http://203.0.113.1/api/v1"],
    ),
    (
        "the path of a Service beats those of a pool",
        [gateway()],
        route({"rules": [rule("/a", "/b", backend=POOL), rule("/ns/name")]}),
        "http",
        ["http://203.0.113.1/ns/name"],
    ),
    (
        "of paths of a pool the shortest with fewest parts counts",
        [gateway()],
        route({"rules": [rule("/n/v1/completions", "/n/v1/chat/completions", backend=POOL)]}),
        "http",
        ["http://203.0.113.1/n/v1/completions"],
    ),
    (
        "a backend without kind is a Service",
        [gateway()],
        route({"rules": [rule("/a", backend=POOL), rule("/longer", backend={"name": "s"})]}),
        "http",
        ["http://203.0.113.1/longer"],
    ),
    (
        "matches without a path do not count",
        [gateway()],
        route({"rules": [rule(None, "/n/m")]}),
        "http",
        ["http://203.0.113.1/n/m"],
    ),
    (
        "without rules the path is the root",
        [gateway()],
        route({"rules": []}),
        "http",
        ["http://203.0.113.1/"],
    ),
    (
        "an HTTPS listener makes https",
        [gateway(listeners=[HTTPS])],
        route(),
        "http",
        ["https://203.0.113.1/"],
    ),
    (
        "a TLS listener makes https",
        [gateway(listeners=[listener("tls", "TLS", 443)])],
        route(),
        "http",
        ["https://203.0.113.1/"],
    ),
    (
        "U14 IPv6 stands in brackets",
        [gateway(addresses=["2001:db8::1"])],
        route(),
        "http",
        ["http://[2001:db8::1]/"],
    ),
    (
        "U15 URLs come in the order of the parents",
        [gateway(name, [f"203.0.113.{number}"]) for number, name in enumerate("abz", 1)],
        route(parents=[{"name": name} for name in "zab"]),
        "http",
        ["http://203.0.113.3/", "http://203.0.113.1/", "http://203.0.113.2/"],
    ),
    (
        "two gateways give two URLs and odd ports show",
        [
            gateway("a", ["a.example.com"], [HTTPS]),
            gateway("b", ["b.example.com"], [listener(port=8080)]),
        ],
        route(parents=[{"name": "a"}, {"name": "b"}]),
        "http",
        ["https://a.example.com/", "http://b.example.com:8080/"],
    ),
    (
        "a parent without namespace is the route's neighbour",
        [gateway(), gateway(namespace="net", addresses=["203.0.113.9"])],
        route(parents=[{"name": "gw", "namespace": "net"}, {"name": "gw"}]),
        "http",
        ["http://203.0.113.9/", "http://203.0.113.1/"],
    ),
    (
        "private addresses are URLs too",
        [gateway(addresses=["10.0.0.1"])],
        route(),
        "http",
        ["http://10.0.0.1/"],
    ),
    (
        "names and addresses come in one order",
        [gateway(addresses=["b.example.com", "203.0.113.1", "a.example.com"])],
        route(),
        "http",
        ["http://203.0.113.1/", "http://a.example.com/", "http://b.example.com/"],
    ),
    (
        "without addresses and Services there is no URL",
        [gateway(addresses=[])],
        route(),
        "http",
        [],
    ),
    (
        "a Service that is labelled with the gateway is an inner URL",
        [gateway(), service("gateway-service", {"gateway.networking.k8s.io/gateway-name": "gw"})],
        route(),
        "http",
        ["http://203.0.113.1/", f"http://gateway-service.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "of two labelled Services the first counts",
        [
            gateway(addresses=[]),
            service("b", {"gateway.networking.k8s.io/gateway-name": "gw"}),
            service("a", {"gateway.networking.k8s.io/gateway-name": "gw"}),
            service("gw"),
        ],
        route(),
        "http",
        [f"http://a.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "a Service called like the gateway is an inner URL",
        [gateway(), service("gw")],
        route(),
        "http",
        ["http://203.0.113.1/", f"http://gw.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "an inner URL shows an odd port",
        [gateway(listeners=[listener(port=8080)]), service("gw")],
        route(),
        "http",
        ["http://203.0.113.1:8080/", f"http://gw.{NAMESPACE}.svc.cluster.local:8080/"],
    ),
    (
        "an inner URL has the scheme of the listener",
        [gateway(listeners=[HTTPS]), service("gw")],
        route(),
        "http",
        ["https://203.0.113.1/", f"https://gw.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "without addresses the inner URL is the only one",
        [gateway(addresses=[], listeners=[listener("s", "HTTPS", 8443)]), service("gw")],
        route(),
        "http",
        [f"https://gw.{NAMESPACE}.svc.cluster.local:8443/"],
    ),
    (
        "a Service of another name is none",
        [gateway(), service("other")],
        route(),
        "http",
        ["http://203.0.113.1/"],
    ),
    (
        "each gateway has its outer and inner URL",
        [gateway("a"), gateway("b", ["203.0.113.2"]), service("a"), service("b")],
        route(parents=[{"name": "a"}, {"name": "b"}]),
        "http",
        [
            "http://203.0.113.1/",
            f"http://a.{NAMESPACE}.svc.cluster.local/",
            "http://203.0.113.2/",
            f"http://b.{NAMESPACE}.svc.cluster.local/",
        ],
    ),
]


@pytest.mark.parametrize(
    ("objects", "made", "scheme", "expected"),
    [row[1:] for row in URLS],
    ids=[row[0] for row in URLS],
)
def test_urls_are_those_of_the_gateways(
    objects: list[Json], made: Json, scheme: str, expected: list[str]
) -> None:
    assert found(objects, made, scheme) == expected


FAILED: list[tuple[str, list[Json], Json, str]] = [
    (
        "a gateway that is not there is named",
        [],
        route(),
        'failed to get Gateway team-a/gw for route team-a/mine: .*"gw" not found',
    ),
    (
        "a gateway without HTTP is named",
        [gateway(listeners=[listener(protocol="TCP")])],
        route(),
        "no HTTP-capable listener",
    ),
    (
        "a section that is not there is named",
        [gateway()],
        route(parents=[{"name": "gw", "sectionName": "other"}]),
        'listener "other" not found in gateway team-a/gw',
    ),
    (
        "a gateway without listeners is named",
        [gateway(listeners=[])],
        route(),
        "no HTTP-capable listener found in gateway team-a/gw",
    ),
    (
        "a listener for others",
        [gateway(listeners=[listener("tcp", "TCP")])],
        route(parents=[{"name": "gw", "sectionName": "tcp"}]),
        "unsupported protocol TCP",
    ),
]


@pytest.mark.parametrize(
    ("objects", "made", "message"), [row[1:] for row in FAILED], ids=[row[0] for row in FAILED]
)
def test_what_is_not_there_is_named(objects: list[Json], made: Json, message: str) -> None:
    with pytest.raises(DiscoveryError, match=message):
        found(objects, made)


def test_a_gateway_without_its_class_is_named() -> None:
    with pytest.raises(
        DiscoveryError, match='failed to get GatewayClass "class" for gateway team-a/gw'
    ):
        attached_gateways(route(), Cluster([gateway()]))
