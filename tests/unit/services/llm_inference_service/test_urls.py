# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which URLs a service is reached: reference/kserve-llmisvc.md §9.15, a row a case.

Without more: a route without rules at a Gateway with one listener HTTP:80.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.router.urls import (
    DiscoveryError,
    Naming,
    route_urls,
)

from .world import CLASS, NAMESPACE, Cluster, gateway, listener, route, service

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
    ("U1 an address becomes a URL", [gateway()], route(), "http", ["http://203.0.113.1/"]),
    (
        "U2 addresses come in order",
        [gateway(addresses=("203.0.113.2", "203.0.113.1"))],
        route(),
        "http",
        ["http://203.0.113.1/", "http://203.0.113.2/"],
    ),
    (
        "U3 the host of a route beats its listener's wildcard",
        [gateway(listeners=[listener(host="*.example.com")])],
        route(A_HOST),
        "http",
        ["http://api.example.com/"],
    ),
    (
        "U4 a host of any name is none",
        [gateway()],
        route({"hostnames": ["*"]}),
        "http",
        ["http://203.0.113.1/"],
    ),
    (
        "U5 hosts come in order",
        [gateway()],
        route({"hostnames": ["b.example.com", "a.example.com"]}),
        "http",
        ["http://a.example.com/", "http://b.example.com/"],
    ),
    (
        "U6 a path is appended",
        [gateway()],
        route({"rules": [rule("/api/v1")]}),
        "http",
        ["http://203.0.113.1/api/v1"],
    ),
    (
        "U7 the path of a Service beats those of a pool",
        [gateway()],
        route({"rules": [rule("/a", "/b", backend=POOL), rule("/ns/name")]}),
        "http",
        ["http://203.0.113.1/ns/name"],
    ),
    (
        "U8 of paths of a pool the shortest with fewest parts counts",
        [gateway()],
        route({"rules": [rule("/n/v1/completions", "/n/v1/chat/completions", backend=POOL)]}),
        "http",
        ["http://203.0.113.1/n/v1/completions"],
    ),
    (
        "U9 a backend without kind is a Service",
        [gateway()],
        route({"rules": [rule("/a", backend=POOL), rule("/longer", backend={"name": "s"})]}),
        "http",
        ["http://203.0.113.1/longer"],
    ),
    (
        "U10 matches without a path do not count",
        [gateway()],
        route({"rules": [rule(None, "/n/m")]}),
        "http",
        ["http://203.0.113.1/n/m"],
    ),
    (
        "U11 without rules the path is the root",
        [gateway()],
        route({"rules": []}),
        "http",
        ["http://203.0.113.1/"],
    ),
    (
        "U12 an HTTPS listener makes https",
        [gateway(listeners=[HTTPS])],
        route(),
        "http",
        ["https://203.0.113.1/"],
    ),
    (
        "U13 a TLS listener makes https",
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
        "U16 two gateways give two URLs and odd ports show",
        [
            gateway("a", ["a.example.com"], [HTTPS]),
            gateway("b", ["b.example.com"], [listener(port=8080)]),
        ],
        route(parents=[{"name": "a"}, {"name": "b"}]),
        "http",
        ["https://a.example.com/", "http://b.example.com:8080/"],
    ),
    (
        "U17 a parent without namespace is the route's neighbour",
        [gateway(), gateway(namespace="net", addresses=["203.0.113.9"])],
        route(parents=[{"name": "gw", "namespace": "net"}, {"name": "gw"}]),
        "http",
        ["http://203.0.113.9/", "http://203.0.113.1/"],
    ),
    (
        "U18 private addresses are URLs too",
        [gateway(addresses=["10.0.0.1"])],
        route(),
        "http",
        ["http://10.0.0.1/"],
    ),
    (
        "U19 names and addresses come in one order",
        [gateway(addresses=["b.example.com", "203.0.113.1", "a.example.com"])],
        route(),
        "http",
        ["http://203.0.113.1/", "http://a.example.com/", "http://b.example.com/"],
    ),
    (
        "U22 without addresses and Services there is no URL",
        [gateway(addresses=[])],
        route(),
        "http",
        [],
    ),
    (
        "U24 an odd port of http shows",
        [gateway(listeners=[listener(port=8080)])],
        route(),
        "http",
        ["http://203.0.113.1:8080/"],
    ),
    (
        "U25 an odd port of https shows",
        [gateway(listeners=[listener("s", "HTTPS", 8443)])],
        route(A_HOST),
        "http",
        ["https://api.example.com:8443/"],
    ),
    (
        "U28 a section names one listener",
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
        "U31 hosts take the place of addresses",
        [gateway(addresses=["203.0.113.1", "203.0.113.2"])],
        route({"hostnames": ["b.example.com", "a.example.com"]}),
        "http",
        ["http://a.example.com/", "http://b.example.com/"],
    ),
    (
        "U32 the host of a listener counts where the route has none",
        [gateway(listeners=[listener(host="l.example.com")])],
        route(),
        "http",
        ["http://l.example.com/"],
    ),
    (
        "U33 the host of a listener counts where the route takes any",
        [gateway(listeners=[listener(host="l.example.com")])],
        route({"hostnames": ["*"]}),
        "http",
        ["http://l.example.com/"],
    ),
    (
        "U36 a wildcard of a listener is filled in",
        [gateway(listeners=[listener(host="*.example.com")])],
        route(),
        "http",
        ["http://inference.example.com/"],
    ),
    (
        "U37 a longer wildcard is filled in",
        [gateway(listeners=[listener(host="*.api.example.com")])],
        route(),
        "http",
        ["http://inference.api.example.com/"],
    ),
    (
        "U40 a wildcard keeps the port",
        [gateway(listeners=[listener("s", "HTTPS", 8080, "*.example.com")])],
        route(),
        "http",
        ["https://inference.example.com:8080/"],
    ),
    (
        "U41 https comes first where it is preferred",
        [gateway(listeners=BOTH)],
        route(),
        "https",
        ["https://203.0.113.1/", "http://203.0.113.1/"],
    ),
    (
        "U42 http comes first where it is preferred",
        [gateway(listeners=[HTTPS, listener()])],
        route(),
        "http",
        ["http://203.0.113.1/", "https://203.0.113.1/"],
    ),
    (
        "U43 what is preferred and not there is replaced",
        [gateway()],
        route(),
        "https",
        ["http://203.0.113.1/"],
    ),
    (
        "U45 https comes first where nothing is preferred",
        [gateway(listeners=BOTH)],
        route(),
        "",
        ["https://203.0.113.1/", "http://203.0.113.1/"],
    ),
    (
        "U47 a section beats what is preferred",
        [gateway(listeners=BOTH)],
        route(parents=[{"name": "gw", "sectionName": "http"}]),
        "https",
        ["http://203.0.113.1/"],
    ),
    (
        "U49 a Service that is labelled with the gateway is an inner URL",
        [gateway(), service("gateway-service", {"gateway.networking.k8s.io/gateway-name": "gw"})],
        route(),
        "http",
        ["http://203.0.113.1/", f"http://gateway-service.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "U49 of two labelled Services the first counts",
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
        "U50 a Service called like the gateway is an inner URL",
        [gateway(), service("gw")],
        route(),
        "http",
        ["http://203.0.113.1/", f"http://gw.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "U51 an inner URL shows an odd port",
        [gateway(listeners=[listener(port=8080)]), service("gw")],
        route(),
        "http",
        ["http://203.0.113.1:8080/", f"http://gw.{NAMESPACE}.svc.cluster.local:8080/"],
    ),
    (
        "U52 an inner URL has the scheme of the listener",
        [gateway(listeners=[HTTPS]), service("gw")],
        route(),
        "http",
        ["https://203.0.113.1/", f"https://gw.{NAMESPACE}.svc.cluster.local/"],
    ),
    (
        "U54 without addresses the inner URL is the only one",
        [gateway(addresses=[], listeners=[listener("s", "HTTPS", 8443)]), service("gw")],
        route(),
        "http",
        [f"https://gw.{NAMESPACE}.svc.cluster.local:8443/"],
    ),
    (
        "U53 a Service of another name is none",
        [gateway(), service("other")],
        route(),
        "http",
        ["http://203.0.113.1/"],
    ),
    (
        "U55 each gateway has its outer and inner URL",
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


#: What else becomes of hosts, ports and schemes: the listeners of a Gateway, the route's hosts, what is preferred, and the URLs.
LISTENERS: dict[str, tuple[list[Json], Json, str, list[str]]] = {
    "U26 the port of http is left out": ([listener(port=80)], {}, "http", ["http://203.0.113.1/"]),
    "U27 the port of https is left out": ([HTTPS], {}, "http", ["https://203.0.113.1/"]),
    "U34 the host of a route beats that of its listener": (
        [listener(host="l.example.com")],
        A_HOST,
        "http",
        ["http://api.example.com/"],
    ),
    "U35 without any host the address counts": ([listener()], {}, "http", ["http://203.0.113.1/"]),
    "U38 the host of a route beats a wildcard that is filled in": (
        [listener(host="*.api.example.com")],
        A_HOST,
        "http",
        ["http://api.example.com/"],
    ),
    "U39 a wildcard of an HTTPS listener makes https": (
        [listener("s", "HTTPS", 443, "*.example.com")],
        {},
        "http",
        ["https://inference.example.com/"],
    ),
    "U44 what is preferred keeps its port": (
        [listener(), listener("s", "HTTPS", 8443)],
        {},
        "https",
        ["https://203.0.113.1:8443/", "http://203.0.113.1/"],
    ),
    "U46 http is taken where there is nothing else": (
        [listener(port=8080)],
        {},
        "",
        ["http://203.0.113.1:8080/"],
    ),
    "U48 two listeners of one host are two URLs": (
        [listener(host="l.example.com"), listener("s", "HTTPS", 443, "l.example.com")],
        {},
        "",
        ["https://l.example.com/", "http://l.example.com/"],
    ),
}


@pytest.mark.parametrize("row", LISTENERS)
def test_hosts_and_ports_are_those_of_listener_and_route(row: str) -> None:
    listeners, spec, scheme, expected = LISTENERS[row]
    assert found([gateway(listeners=listeners)], route(spec), scheme) == expected


def test_u20_names_and_addresses_that_are_mixed_come_in_order() -> None:
    addresses = ["lb.example.com", "203.0.113.9", "203.0.113.1"]
    expected = ["http://203.0.113.1/", "http://203.0.113.9/", "http://lb.example.com/"]
    assert found([gateway(addresses=addresses)]) == expected


FAILED: list[tuple[str, list[Json], Json, str]] = [
    (
        "U21 a gateway that is not there is named",
        [],
        route(),
        'failed to get Gateway team-a/gw for route team-a/mine: .*"gw" not found',
    ),
    (
        "U23 a gateway without HTTP is named",
        [gateway(listeners=[listener(protocol="TCP")])],
        route(),
        "no HTTP-capable listener",
    ),
    (
        "U29 a section that is not there is named",
        [gateway()],
        route(parents=[{"name": "gw", "sectionName": "other"}]),
        'listener "other" not found in gateway team-a/gw',
    ),
    (
        "U30 a gateway without listeners is named",
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
