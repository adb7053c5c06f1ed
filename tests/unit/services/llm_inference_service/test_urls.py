# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which URLs a service is reached: reference/kserve-llmisvc.md §9.15, a row a case.

Without more: a route without rules at a Gateway with one listener HTTP:80.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.router.addresses import (
    address_name,
    is_external,
    service_addresses,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.router.urls import (
    DiscoveryError,
    Naming,
    route_urls,
)

from .world import CLASS, NAMESPACE, Cluster, gateway, listener, resolved, route, service, stopped

Json = dict[str, Any]
DOMAIN = "cluster.local"


def rule(*paths: str | None, backend: Mapping[str, Any] | None = None) -> Json:
    """Return a rule with matches for paths; None is a match for a header alone."""
    matches = [
        {"headers": [{"name": "a", "value": "b"}]} if path is None else {"path": {"value": path}}
        for path in paths
    ]
    return {"matches": matches, "backendRefs": [backend or {"name": "s", "kind": "Service"}]}


POOL = {"name": "p", "kind": "InferencePool"}
HTTPS = listener("https", "HTTPS", 443)
BOTH = (listener(), HTTPS)
A_HOST = {"hostnames": ["api.example.com"]}


def found(objects: Sequence[Json], made: Json | None = None, scheme: str = "http") -> list[str]:
    naming = Naming(scheme, "inference", DOMAIN)
    return route_urls(made or route(), Cluster([CLASS, *objects]), naming)


URLS: list[tuple[str, list[Json], Json, str, list[str]]] = [
    ("U1", [gateway()], route(), "http", ["http://203.0.113.1/"]),
    (
        "U2",
        [gateway(addresses=("203.0.113.2", "203.0.113.1"))],
        route(),
        "http",
        ["http://203.0.113.1/", "http://203.0.113.2/"],
    ),
    (
        "U3",
        [gateway(listeners=[listener(host="*.example.com")])],
        route(A_HOST),
        "http",
        ["http://api.example.com/"],
    ),
    ("U4", [gateway()], route({"hostnames": ["*"]}), "http", ["http://203.0.113.1/"]),
    (
        "U5",
        [gateway()],
        route({"hostnames": ["b.example.com", "a.example.com"]}),
        "http",
        ["http://a.example.com/", "http://b.example.com/"],
    ),
    ("U6", [gateway()], route({"rules": [rule("/api/v1")]}), "http", ["http://203.0.113.1/api/v1"]),
    (
        "U7",
        [gateway()],
        route({"rules": [rule("/a", "/b", backend=POOL), rule("/ns/name")]}),
        "http",
        ["http://203.0.113.1/ns/name"],
    ),
    (
        "U8",
        [gateway()],
        route({"rules": [rule("/n/v1/completions", "/n/v1/chat/completions", backend=POOL)]}),
        "http",
        ["http://203.0.113.1/n/v1/completions"],
    ),
    (
        "U9",
        [gateway()],
        route({"rules": [rule("/a", backend=POOL), rule("/longer", backend={"name": "s"})]}),
        "http",
        ["http://203.0.113.1/longer"],
    ),
    (
        "U10",
        [gateway()],
        route({"rules": [rule(None, "/n/m")]}),
        "http",
        ["http://203.0.113.1/n/m"],
    ),
    ("U11", [gateway()], route({"rules": []}), "http", ["http://203.0.113.1/"]),
    ("U12", [gateway(listeners=[HTTPS])], route(), "http", ["https://203.0.113.1/"]),
    (
        "U13",
        [gateway(listeners=[listener("tls", "TLS", 443)])],
        route(),
        "http",
        ["https://203.0.113.1/"],
    ),
    ("U14", [gateway(addresses=["2001:db8::1"])], route(), "http", ["http://[2001:db8::1]/"]),
    (
        "U15",
        [gateway(name, [f"203.0.113.{number}"]) for number, name in enumerate("abz", 1)],
        route(parents=[{"name": name} for name in "zab"]),
        "http",
        ["http://203.0.113.3/", "http://203.0.113.1/", "http://203.0.113.2/"],
    ),
    (
        "U16",
        [
            gateway("a", ["a.example.com"], [HTTPS]),
            gateway("b", ["b.example.com"], [listener(port=8080)]),
        ],
        route(parents=[{"name": "a"}, {"name": "b"}]),
        "http",
        ["https://a.example.com/", "http://b.example.com:8080/"],
    ),
    (
        "U17",
        [gateway(), gateway(namespace="net", addresses=["203.0.113.9"])],
        route(parents=[{"name": "gw", "namespace": "net"}, {"name": "gw"}]),
        "http",
        ["http://203.0.113.9/", "http://203.0.113.1/"],
    ),
    ("U18", [gateway(addresses=["10.0.0.1"])], route(), "http", ["http://10.0.0.1/"]),
    (
        "U19",
        [gateway(addresses=["b.example.com", "203.0.113.1", "a.example.com"])],
        route(),
        "http",
        ["http://203.0.113.1/", "http://a.example.com/", "http://b.example.com/"],
    ),
    ("U22", [gateway(addresses=[])], route(), "http", []),
    (
        "U24",
        [gateway(listeners=[listener(port=8080)])],
        route(),
        "http",
        ["http://203.0.113.1:8080/"],
    ),
    (
        "U25",
        [gateway(listeners=[listener("s", "HTTPS", 8443)])],
        route(A_HOST),
        "http",
        ["https://api.example.com:8443/"],
    ),
    (
        "U28",
        [
            gateway(
                listeners=[
                    listener("https", "HTTPS", 443, "s.example.com"),
                    listener("http", "HTTP", 80, "h.example.com"),
                    listener("other", "HTTP", 81, "o.example.com"),
                ]
            )
        ],
        route(parents=[{"name": "gw", "sectionName": "http"}]),
        "http",
        ["http://h.example.com/"],
    ),
    (
        "U31",
        [gateway(addresses=["203.0.113.1", "203.0.113.2"])],
        route({"hostnames": ["b.example.com", "a.example.com"]}),
        "http",
        ["http://a.example.com/", "http://b.example.com/"],
    ),
    (
        "U32",
        [gateway(listeners=[listener(host="l.example.com")])],
        route(),
        "http",
        ["http://l.example.com/"],
    ),
    (
        "U33",
        [gateway(listeners=[listener(host="l.example.com")])],
        route({"hostnames": ["*"]}),
        "http",
        ["http://l.example.com/"],
    ),
    (
        "U36",
        [gateway(listeners=[listener(host="*.example.com")])],
        route(),
        "http",
        ["http://inference.example.com/"],
    ),
    (
        "U37",
        [gateway(listeners=[listener(host="*.api.example.com")])],
        route(),
        "http",
        ["http://inference.api.example.com/"],
    ),
    (
        "U40",
        [gateway(listeners=[listener("s", "HTTPS", 8080, "*.example.com")])],
        route(),
        "http",
        ["https://inference.example.com:8080/"],
    ),
    (
        "U41",
        [gateway(listeners=BOTH)],
        route(),
        "https",
        ["https://203.0.113.1/", "http://203.0.113.1/"],
    ),
    (
        "U42",
        [gateway(listeners=[HTTPS, listener()])],
        route(),
        "http",
        ["http://203.0.113.1/", "https://203.0.113.1/"],
    ),
    ("U43", [gateway()], route(), "https", ["http://203.0.113.1/"]),
    (
        "U45",
        [gateway(listeners=BOTH)],
        route(),
        "",
        ["https://203.0.113.1/", "http://203.0.113.1/"],
    ),
    (
        "U47",
        [gateway(listeners=BOTH)],
        route(parents=[{"name": "gw", "sectionName": "http"}]),
        "https",
        ["http://203.0.113.1/"],
    ),
    (
        "U49",
        [gateway(), service("gateway-service", {"gateway.networking.k8s.io/gateway-name": "gw"})],
        route(),
        "http",
        ["http://203.0.113.1/", f"http://gateway-service.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "U49 the first of two",
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
        "U50",
        [gateway(), service("gw")],
        route(),
        "http",
        ["http://203.0.113.1/", f"http://gw.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "U51 and U54",
        [gateway(addresses=[], listeners=[listener("s", "HTTPS", 8443)]), service("gw")],
        route(),
        "http",
        [f"https://gw.{NAMESPACE}.svc.cluster.local:8443/"],
    ),
    ("U53", [gateway(), service("other")], route(), "http", ["http://203.0.113.1/"]),
    (
        "U55",
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
    ("U21", [], route(), 'failed to get Gateway team-a/gw for route team-a/mine: .*"gw" not found'),
    ("U23", [gateway(listeners=[listener(protocol="TCP")])], route(), "no HTTP-capable listener"),
    (
        "U29",
        [gateway()],
        route(parents=[{"name": "gw", "sectionName": "other"}]),
        'listener "other" not found in gateway team-a/gw',
    ),
    (
        "U30",
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
        route_urls(route(), Cluster([gateway()]), Naming("http", "inference", DOMAIN))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://api.example.com/", "gateway-external"),
        ("http://203.0.113.1:8080/a", "gateway-external"),
        ("http://[2001:db8::1]/", "gateway-external"),
        ("http://10.0.0.1/", "internal"),
        ("http://172.31.0.1/", "internal"),
        ("http://172.32.0.1/", "gateway-external"),
        ("http://[fd00::1]:80/", "internal"),
        ("http://localhost/", "internal"),
        ("http://a.LOCAL/", "internal"),
        ("http://a.localhost/", "internal"),
        ("http://a.internal/", "internal"),
        ("http://gw.net.svc.cluster.local/", "gateway-internal"),
        ("http://gw.net.svc.cluster.local:8080/a", "gateway-internal"),
    ],
)
def test_u60_to_u75_addresses_are_named_by_who_reaches_them(url: str, name: str) -> None:
    assert address_name(url, DOMAIN) == name
    assert is_external(url, DOMAIN) is (name == "gateway-external")


ROUTED: Json = {"router": {"route": {"http": {"spec": {}}}}}


def test_the_first_external_url_in_order_is_the_service_s() -> None:
    world = Cluster([CLASS, gateway(addresses=["203.0.113.9", "10.0.0.1", "203.0.113.1"])])
    told = service_addresses(resolved(ROUTED), [route()], world)
    assert told.url == "http://203.0.113.1/"
    assert told.addresses == (
        {"name": "internal", "url": "http://10.0.0.1/"},
        {"name": "gateway-external", "url": "http://203.0.113.1/"},
        {"name": "gateway-external", "url": "http://203.0.113.9/"},
    )
    assert not told.keep_url


def test_a_service_without_a_route_is_reached_at_its_workload() -> None:
    told = service_addresses(resolved({"router": {"scheduler": {}}}), [], Cluster())
    assert told.addresses == ({"url": "https://chat-kserve-workload-svc.team-a.svc.cluster.local"},)
    assert told.keep_url


def test_a_stopped_service_keeps_its_url_and_has_no_addresses() -> None:
    told = service_addresses(stopped(ROUTED), [route()], Cluster())
    assert (told.addresses, told.keep_url) == ((), True)


def test_the_route_is_named_where_its_gateway_is_missing() -> None:
    with pytest.raises(
        DiscoveryError, match="failed to discover URL for route team-a/mine: failed"
    ):
        service_addresses(resolved(ROUTED), [route()], Cluster())
