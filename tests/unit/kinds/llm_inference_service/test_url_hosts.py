# SPDX-License-Identifier: GPL-3.0-or-later
"""Which URLs come of listeners: ports, sections, hosts and what is preferred. Source: KServe pkg/controller/v1alpha2/llmisvc/router_discovery_test.go@v0.17.0.

Without more: a route without rules at a Gateway with one listener HTTP:80.
"""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json

from .url_world import A_HOST, BOTH, HTTPS, found
from .world import gateway, listener, route

URLS: list[tuple[str, list[Json], Json, str, list[str]]] = [
    (
        "an odd port of http shows",
        [gateway(listeners=[listener(port=8080)])],
        route(),
        "http",
        ["http://203.0.113.1:8080/"],
    ),
    (
        "an odd port of https shows",
        [gateway(listeners=[listener("s", "HTTPS", 8443)])],
        route(A_HOST),
        "http",
        ["https://api.example.com:8443/"],
    ),
    (
        "a section names one listener",
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
        "hosts take the place of addresses",
        [gateway(addresses=["203.0.113.1", "203.0.113.2"])],
        route({"hostnames": ["b.example.com", "a.example.com"]}),
        "http",
        ["http://a.example.com/", "http://b.example.com/"],
    ),
    (
        "the host of a listener counts where the route has none",
        [gateway(listeners=[listener(host="l.example.com")])],
        route(),
        "http",
        ["http://l.example.com/"],
    ),
    (
        "the host of a listener counts where the route takes any",
        [gateway(listeners=[listener(host="l.example.com")])],
        route({"hostnames": ["*"]}),
        "http",
        ["http://l.example.com/"],
    ),
    (
        "a wildcard of a listener is filled in",
        [gateway(listeners=[listener(host="*.example.com")])],
        route(),
        "http",
        ["http://inference.example.com/"],
    ),
    (
        "a longer wildcard is filled in",
        [gateway(listeners=[listener(host="*.api.example.com")])],
        route(),
        "http",
        ["http://inference.api.example.com/"],
    ),
    (
        "a wildcard keeps the port",
        [gateway(listeners=[listener("s", "HTTPS", 8080, "*.example.com")])],
        route(),
        "http",
        ["https://inference.example.com:8080/"],
    ),
    (
        "https comes first where it is preferred",
        [gateway(listeners=BOTH)],
        route(),
        "https",
        ["https://203.0.113.1/", "http://203.0.113.1/"],
    ),
    (
        "http comes first where it is preferred",
        [gateway(listeners=[HTTPS, listener()])],
        route(),
        "http",
        ["http://203.0.113.1/", "https://203.0.113.1/"],
    ),
    (
        "what is preferred and not there is replaced",
        [gateway()],
        route(),
        "https",
        ["http://203.0.113.1/"],
    ),
    (
        "https comes first where nothing is preferred",
        [gateway(listeners=BOTH)],
        route(),
        "",
        ["https://203.0.113.1/", "http://203.0.113.1/"],
    ),
    (
        "a section beats what is preferred",
        [gateway(listeners=BOTH)],
        route(parents=[{"name": "gw", "sectionName": "http"}]),
        "https",
        ["http://203.0.113.1/"],
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
    "the port of http is left out": ([listener(port=80)], {}, "http", ["http://203.0.113.1/"]),
    "the port of https is left out": ([HTTPS], {}, "http", ["https://203.0.113.1/"]),
    "the host of a route beats that of its listener": (
        [listener(host="l.example.com")],
        A_HOST,
        "http",
        ["http://api.example.com/"],
    ),
    "without any host the address counts": ([listener()], {}, "http", ["http://203.0.113.1/"]),
    "the host of a route beats a wildcard that is filled in": (
        [listener(host="*.api.example.com")],
        A_HOST,
        "http",
        ["http://api.example.com/"],
    ),
    "a wildcard of an HTTPS listener makes https": (
        [listener("s", "HTTPS", 443, "*.example.com")],
        {},
        "http",
        ["https://inference.example.com/"],
    ),
    "what is preferred keeps its port": (
        [listener(), listener("s", "HTTPS", 8443)],
        {},
        "https",
        ["https://203.0.113.1:8443/", "http://203.0.113.1/"],
    ),
    "http is taken where there is nothing else": (
        [listener(port=8080)],
        {},
        "",
        ["http://203.0.113.1:8080/"],
    ),
    "two listeners of one host are two URLs": (
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


def test_names_and_addresses_that_are_mixed_come_in_order() -> None:
    addresses = ["lb.example.com", "203.0.113.9", "203.0.113.1"]
    expected = ["http://203.0.113.1/", "http://203.0.113.9/", "http://lb.example.com/"]
    assert found([gateway(addresses=addresses)]) == expected
