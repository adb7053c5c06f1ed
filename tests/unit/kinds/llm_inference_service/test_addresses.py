# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service's status says of its URLs. Source: KServe pkg/controller/v1alpha2/llmisvc/{router_discovery,router_discovery_test}.go@v0.17.0."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.router.addresses import (
    address_name,
    is_external,
    service_addresses,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.router.urls import (
    DiscoveryError,
)
from tests.objects import Cluster

from .release_pairs import settings
from .world import CLASS, gateway, resolved, route, stopped

Json = dict[str, Any]
DOMAIN = "cluster.local"

#: A URL, and who reaches it.
REACHED: dict[str, tuple[str, str]] = {
    "a public name is external": ("http://api.example.com/", "gateway-external"),
    "a public address is external": ("http://203.0.113.1:8080/a", "gateway-external"),
    "a public address of IPv6 is external": ("http://[2001:db8::1]/", "gateway-external"),
    "a private address is internal": ("http://10.0.0.1/", "internal"),
    "the last private address is internal": ("http://172.31.0.1/", "internal"),
    "the next address is external": ("http://172.32.0.1/", "gateway-external"),
    "a local address of IPv6 is internal": ("http://[fd00::1]:80/", "internal"),
    "this machine is internal": ("http://localhost/", "internal"),
    "names of no network are internal": ("http://a.LOCAL/", "internal"),
    "names of this machine are internal": ("http://a.localhost/", "internal"),
    "names that say so are internal": ("http://a.internal/", "internal"),
    "a name of the cluster is the gateway's own": (
        "http://gw.net.svc.cluster.local/",
        "gateway-internal",
    ),
    "a name of the cluster with a port is the gateway's own": (
        "http://gw.net.svc.cluster.local:8080/a",
        "gateway-internal",
    ),
}


@pytest.mark.parametrize("row", REACHED)
def test_addresses_are_named_by_who_reaches_them(row: str) -> None:
    url, name = REACHED[row]
    assert address_name(url, DOMAIN) == name
    assert is_external(url, DOMAIN) is (name == "gateway-external")


INNER = ["http://10.0.0.1/", "http://gw.net.svc.cluster.local/"]
OUTER = ["http://203.0.113.1/", "https://api.example.com/"]

#: URLs, and which of them are external.
EXTERNAL: dict[str, tuple[list[str], list[str]]] = {
    "of all kinds the external ones stay": ([INNER[0], OUTER[0], INNER[1]], [OUTER[0]]),
    "ports do not matter": (["http://10.0.0.1:80/", "http://a.com:80/"], ["http://a.com:80/"]),
    "of internal ones none stays": (INNER, []),
    "of external ones all stay": (OUTER, OUTER),
    "of none there is none": ([], []),
    "paths do not matter": (
        ["http://localhost/a.com", "http://a.com/localhost"],
        ["http://a.com/localhost"],
    ),
    "each is one or the other": ([*INNER, *OUTER], OUTER),
}


@pytest.mark.parametrize("row", EXTERNAL)
def test_external_urls_are_told_apart(row: str) -> None:
    urls, external = EXTERNAL[row]
    assert [url for url in urls if is_external(url, DOMAIN)] == external


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


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("0.17", "failed to discover URL for route team-a/mine: failed to discover gateways: "),
        ("0.18", "failed to discover URL for route team-a/mine: failed to discover gateways: "),
        ("0.19", "failed to discover gateways for route team-a/mine: "),
        ("0.20", "failed to discover gateways for route team-a/mine: "),
    ],
)
@pytest.mark.parametrize(
    ("objects", "missing"),
    [([], "failed to get Gateway "), ([gateway()], "failed to get GatewayClass ")],
)
def test_the_route_is_named_where_its_gateway_is_missing(
    objects: list[Json], missing: str, release: str, told: str
) -> None:
    with pytest.raises(DiscoveryError, match=f"^{told}{missing}"):
        service_addresses(resolved(ROUTED, settings=settings(release)), [route()], Cluster(objects))


@pytest.mark.parametrize("release", ["0.18", "0.19"])
def test_the_route_is_named_where_a_listener_is_missing(release: str) -> None:
    bare = gateway(listeners=())
    with pytest.raises(
        DiscoveryError, match=r"^failed to discover URL for route team-a/mine: failed to select"
    ):
        service_addresses(
            resolved(ROUTED, settings=settings(release)), [route()], Cluster([CLASS, bare])
        )
