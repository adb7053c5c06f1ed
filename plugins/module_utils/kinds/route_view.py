# SPDX-License-Identifier: GPL-3.0-or-later
"""How requests come to a service, in words of no kind: routes of the Gateway API, Ingresses and VirtualServices alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..kube import gvk
from ..kube.manifest import Json
from ..kube.reference import Reference
from .field_map import Place

#: A host name as KServe asks Istio for it: whatever the port.
_AUTHORITY = re.compile(r"\^(?P<host>.+)\(\?::\\d\{1,5\}\)\?\$")


@dataclass(frozen=True, slots=True)
class Parent:
    """A Gateway that a route hangs on.

    section: the listener's name, empty for all. place: what names it. absent: what is said where it is not there; empty where the kind
    itself says that.
    """

    gateway: Reference
    section: str
    place: Place
    absent: str = ""


@dataclass(frozen=True, slots=True)
class RouteView:
    """How requests come to a service. place: what the author changes so that others come. matches: a request needs one of them.

    hostnames: none for all.
    """

    reference: Reference
    place: Place
    parents: tuple[Parent, ...]
    hostnames: tuple[str, ...]
    matches: tuple[Match, ...]


class Match(NamedTuple):
    """What a request looks like: its path, and what else is asked of it."""

    path: tuple[str, str]
    rest: frozenset[tuple[str, ...]]

    def __str__(self) -> str:
        """Return it as messages show it."""
        kind, value = self.path
        said = [" ".join(part for part in each if part) for each in sorted(self.rest)]
        path = [] if (kind, value) == ("PathPrefix", "/") else [f"path {value}"]
        return " and ".join([*said, *path]) or "every path"


def routes_of(
    manifests: Sequence[Json], place: Place, parent: Callable[[Json, int], Parent]
) -> Iterator[RouteView]:
    """Yield the routes among manifests. parent: makes of a parentRef, and its position, what a check wants to know of it."""
    for manifest in manifests:
        reference = Reference.of(manifest)
        spec: Json = manifest.get("spec") or {}
        if reference.kind == "HTTPRoute":
            yield RouteView(
                reference,
                place,
                tuple(
                    parent(each, number) for number, each in enumerate(spec.get("parentRefs") or ())
                ),
                tuple(spec.get("hostnames") or ()),
                tuple(
                    match_of(match)
                    for rule in spec.get("rules") or ()
                    for match in rule.get("matches") or [{}]
                ),
            )
        elif reference.kind == "Ingress":
            yield from _of_ingress(reference, spec, place)
        elif reference.kind == "VirtualService":
            yield from _of_virtual_service(reference, spec, place)


def _of_ingress(reference: Reference, spec: Json, place: Place) -> Iterator[RouteView]:
    """Yield a route for each host name of an Ingress. Its class takes the part of a Gateway."""
    holder = Reference(
        "networking.k8s.io/v1", "IngressClass", "", spec.get("ingressClassName") or ""
    )
    for rule in spec.get("rules") or ():
        hosts = (rule["host"],) if rule.get("host") else ()
        matches = tuple(
            Match((path.get("pathType") or "Prefix", path.get("path") or "/"), frozenset())
            for path in (rule.get("http") or {}).get("paths") or ()
        )
        yield RouteView(reference, place, (Parent(holder, "", place),), hosts, matches)


def _of_virtual_service(reference: Reference, spec: Json, place: Place) -> Iterator[RouteView]:
    """Yield a route for each match of a VirtualService from outside: its host name is a regular expression in Istio."""
    for http in spec.get("http") or ():
        for match in http.get("match") or ():
            gateways = [each for each in match.get("gateways") or () if "/" in each]
            parents = [Reference(gvk.ISTIO, "Gateway", *each.split("/", 1)) for each in gateways]
            found = _AUTHORITY.fullmatch((match.get("authority") or {}).get("regex") or "")
            if found is None:
                continue
            ((kind, value),) = (match.get("uri") or {"prefix": "/"}).items()
            yield RouteView(
                reference,
                place,
                tuple(Parent(each, "", place) for each in parents),
                (found["host"].replace("\\", ""),),
                (Match((kind, str(value)), frozenset()),),
            )


def gateway_of(parent: Json, namespace: str) -> Reference:
    """Return the Gateway that a parentRef names. namespace: the route's."""
    return Reference(
        gvk.GATEWAY,
        "Gateway",
        parent.get("namespace") or namespace,
        parent.get("name") or "",
    )


def match_of(match: Json) -> Match:
    """Return what a match of an HTTPRoute asks of requests."""
    path = match.get("path") or {}
    rest: set[tuple[str, ...]] = {
        (kind, each.get("type") or "Exact", each.get("name") or "", each.get("value") or "")
        for kind, field_name in (("header", "headers"), ("query", "queryParams"))
        for each in match.get(field_name) or ()
    }
    if match.get("method"):
        rest.add(("method", match["method"]))
    return Match((path.get("type") or "PathPrefix", path.get("value") or "/"), frozenset(rest))
