# SPDX-License-Identifier: GPL-3.0-or-later
"""Services beside each other, of one kind or of several: requests that two of them take, objects of one that another uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..kinds.check import WARNING, Check, check
from ..kinds.listeners import covers, share_a_request
from ..kinds.route_view import Match, RouteView
from ..kinds.view import Neighbour
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.text import few

#: A service, and what is wrong with it beside the others.
Found = tuple[Reference, Problem]
#: A service and one of its routes.
Holder = tuple[Neighbour, RouteView]
_SHOWN = 3

ROUTES = Check(
    "route-collision",
    WARNING,
    finds="{kind} {route} takes the requests of {others} too: same {gateway}, {match}. Only the older route is served",
    fix="give each its own host name, header or path",
)
BORROWED = Check(
    "borrowed",
    WARNING,
    finds="{what} belongs to service {owner}: requests go to the pods of {owner}, and it is gone when {owner} is stopped, deleted or changed",
    fix="refer to one that belongs to no service, or leave the reference out",
)


@check(ROUTES, fleet=True)
def same_requests(services: Sequence[Neighbour]) -> Iterator[Found]:
    """Yield routes of several services that take the same requests: the gateway serves the oldest only."""
    claims: dict[tuple[Reference, Match], list[Holder]] = defaultdict(list)
    for service in services:
        for route in service.routes:
            for gateway in {parent.gateway for parent in route.parents}:
                for match in set(route.matches):
                    claims[gateway, match].append((service, route))
    for (gateway, match), holders in claims.items():
        for (service, route), rivals in _rivals(holders) if len(holders) > 1 else ():
            host = _shared_host(route, [each for holder, each in holders if holder is not service])
            yield (
                service.reference,
                ROUTES.at(
                    route.place,
                    kind=route.reference.kind,
                    route=route.reference.name,
                    others=few(sorted(rivals), _SHOWN),
                    gateway=_shown(gateway),
                    match=f"host {host}" if host else match,
                ),
            )


@check(BORROWED, fleet=True)
def borrowed(services: Sequence[Neighbour]) -> Iterator[Found]:
    """Yield references to objects that another service creates, and that disappear when it is stopped or deleted."""
    makers = {made: service.reference for service in services for made in service.makes}
    for service in services:
        for reference, place in service.refers:
            owner = makers.get(reference)
            if owner not in (None, service.reference):
                what = f"{reference.kind} {reference.name}"
                yield service.reference, BORROWED.at(place, what=what, owner=owner.name)


def _rivals(holders: Sequence[Holder]) -> Iterator[tuple[Holder, set[str]]]:
    """Yield the routes of one gateway and match that share a host with a route of another service, each with those services."""
    by_host: dict[str, list[Holder]] = defaultdict(list)
    for holder in holders:
        for host in holder[1].hostnames or ("",):
            by_host[host].append(holder)
    wide = {host: found for host, found in by_host.items() if host[:1] in ("", "*")}
    for service, route in holders:
        near = [each for host in route.hostnames or ("",) for each in by_host[host]]
        near += [
            each
            for host, found in wide.items()
            for each in found
            if any(covers(host, other) for other in route.hostnames)
        ]
        if not route.hostnames or any(host in wide for host in route.hostnames):
            near += [each for each in holders if _share_a_host(route, each[1])]
        rivals = {str(other.reference) for other, dummy in near if other is not service}
        if rivals:
            yield (service, route), rivals


def _shown(gateway: Reference) -> str:
    """Return what serves routes, as messages call it."""
    if gateway.kind != "Gateway":
        return f"class of Ingresses {gateway.name}" if gateway.name else "class of Ingresses"
    return f"gateway {gateway.full_name}"


def _shared_host(route: RouteView, others: Sequence[RouteView]) -> str:
    """Return the first host name of a route for which others take requests, too; empty where it names none."""
    return next(
        (
            host
            for host in route.hostnames
            for other in others
            if any(share_a_request(host, each) for each in other.hostnames or ("",))
        ),
        "",
    )


def _share_a_host(one: RouteView, other: RouteView) -> bool:
    """Tell whether a request can be for both. A route without host names takes all."""
    if not one.hostnames or not other.hostnames:
        return True
    return any(share_a_request(a, b) for a in one.hostnames for b in other.hostnames)
