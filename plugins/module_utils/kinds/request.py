# SPDX-License-Identifier: GPL-3.0-or-later
"""How to call a service: where a request goes, and what it has to say so that the gateway passes it on."""

from __future__ import annotations

import ipaddress
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from ..kube.condition import GATEWAY_GROUP, acceptance
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import NotAllowed, NotLookedAt, Reader
from ..kube.redact import mask
from ..kube.reference import Reference
from ..kube.secret_forms import is_secret_name
from .entrance import Backend, Entrance
from .listeners import is_admitted, route_listeners
from .protocols import Protocol
from .route_match import Match, common_host, concrete, plainest_match

_PORTS = {"http": 80, "https": 443}
#: How to learn an address that a settled run has no reason to look for.
HOW_TO_LOOK = "wait: true, check mode or llmisvc_info shows the address"
_JSON = "Content-Type: application/json"


@dataclass(frozen=True, slots=True)
class Request:
    """One way to call a service.

    address, port: where the connection goes; an empty address is not known. host: the name to ask for where the address is none of it.
    path: what comes before the protocol's own paths. route, gateway: which objects pass it on. missing: the gateway is not there.
    unseen: nobody looked at the gateway. note: what is not known or does not work.
    """

    protocol: Protocol | None = None
    model: str = ""
    scheme: str = "http"
    address: str = ""
    port: int = 80
    host: str = ""
    path: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    route: Reference | None = None
    gateway: Reference | None = None
    backend: Backend | None = None
    missing: bool = False
    unseen: bool = False
    note: str = ""

    @property
    def origin(self) -> str:
        """Scheme, address and port, as a URL begins."""
        return self._origin(self.address)

    @property
    def url(self) -> str:
        """The address with the path before the protocol's own; empty where the address is not known."""
        return f"{self.origin}{self.path}" if self.address else ""

    @property
    def curl(self) -> str:
        """One line for a shell; empty where the address is not known."""
        if not self.address or self.protocol is None:
            return ""
        words = ["curl", "-sS"]
        if self.host:
            to = f"{self.host}:{self.port}:{_bracketed(self.address)}:{self.port}"
            words += ["--connect-to", to]
        called = self.protocol.call_path(self.model)
        words.append(f"{self._origin(self.host or self.address)}{self.path}{called}")
        for name, value in self.headers.items():
            words += ["-H", f"{name}: {_shown(name, value)}"]
        if called != self.protocol.check_path(self.model):
            words += ["-H", _JSON, "-d", self.protocol.data(self.model)]
        return shlex.join(words)

    def to_dict(self) -> Json:
        """Return it as results show it."""
        return {
            "url": self.url,
            "host": self.host,
            "headers": {name: _shown(name, value) for name, value in self.headers.items()},
            "model": self.model,
            "curl": self.curl,
            "note": self.note,
        }

    def problems(self) -> Iterator[Problem]:
        """Yield what somebody who calls the service would not guess."""
        for name, value in self.headers.items():
            text = f"requests need the header {name}: {_shown(name, value)}; the gateway answers others with 404 (see request.curl)"
            yield Problem("", text, "info", rule="request-header")

    def _origin(self, host: str) -> str:
        port = "" if self.port == _PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{_bracketed(host)}{port}"


def request_of(entrance: Entrance, service: Reference, reader: Reader, url: str = "") -> Request:
    """Return how a service is called, the first way that is known in full; else the first, with a note that says what lacks.

    reader: sees routes with their status, and gateways. url: what the service reports, for one that no
    route of ours leads to, and for one whose gateways were not looked at.
    """
    blank = Request(entrance.protocol, entrance.model, backend=entrance.backend)
    if entrance.closed:
        return replace(blank, note=entrance.closed)
    ways = [
        way
        for route in entrance.routes
        for way in _by_route(route, entrance, service, blank, reader)
    ]
    ways = ways or [_reported(blank, url)]
    best = next((way for way in ways if way.address), ways[0])
    return _reported(best, url) if best.unseen and url else best


def _by_route(
    route: Json, entrance: Entrance, service: Reference, blank: Request, reader: Reader
) -> Iterator[Request]:
    if route["kind"] == "Ingress":
        yield _by_ingress(route, blank, reader)
        return
    reference = Reference.of(route)
    match = Match()
    if entrance.protocol is not None:
        match = plainest_match(route, entrance.targets, entrance.protocol, entrance.model)
    for parent in (route.get("spec") or {}).get("parentRefs") or ():
        if (parent.get("kind") or "Gateway") != "Gateway":
            continue
        place = parent.get("namespace") or reference.namespace
        gateway = Reference(f"{GATEWAY_GROUP}/v1", "Gateway", place, parent["name"])
        way = replace(
            blank, path=match.path, headers=match.headers, route=reference, gateway=gateway
        )
        yield _by_gateway(way, route, parent, service, reader)


def _by_gateway(
    way: Request, route: Json, parent: Json, service: Reference, reader: Reader
) -> Request:
    """Return a way with address, port and host name of a gateway, as far as they are known."""
    hosts = (route.get("spec") or {}).get("hostnames") or ()
    way = replace(way, host=concrete(hosts[0], service.name) if hosts else "")
    if way.gateway is None or way.route is None:
        return way
    try:
        gateway, live = reader.get(way.gateway), reader.get(way.route)
    except NotAllowed:
        return replace(way, note=f"{way.gateway} may not be read, so its address is not known")
    except NotLookedAt:
        text = f"nothing changed, so {way.gateway} was not looked at: {HOW_TO_LOOK}"
        return replace(way, unseen=True, note=text)
    if gateway is None:
        given = f"{way.gateway} was not given, so its address is not known"
        absent = f"{way.gateway} does not exist, so its address is not known"
        return replace(way, missing=reader.complete, note=absent if reader.complete else given)
    found = [
        (listener, host)
        for listener in route_listeners(gateway)
        if parent.get("sectionName") in (None, listener.get("name"))
        and parent.get("port") in (None, listener.get("port"))
        and is_admitted(listener, service.namespace, gateway["metadata"]["namespace"], reader)
        and (host := common_host(hosts, listener)) is not None
    ]
    if not found:
        return replace(way, note=f"no listener of {way.gateway} takes {way.route}")
    # A certificate names hosts, seldom addresses.
    listener, host = min(found, key=lambda one: (one[0].get("protocol") == "HTTPS") != bool(one[1]))
    said = acceptance(live, str(way.route)) if live is not None else None
    return _addressed(
        replace(
            way,
            scheme=str(listener.get("protocol", "http")).lower(),
            port=int(listener.get("port") or 80),
            host=concrete(host, service.name),
            note=said.message if said is not None and said.status == "False" else "",
        ),
        value_at(gateway, ("status", "addresses")) or (),
    )


def _addressed(way: Request, addresses: Iterable[Json]) -> Request:
    """Return a way with the first address of its gateway."""
    values = [one["value"] for one in addresses if one.get("value")]
    if not values:
        return replace(way, note=way.note or f"{way.gateway} has no address yet")
    address = values[0]
    host = "" if way.host == address else way.host
    inside = f"{address} is a name inside the cluster" if _is_local(address) else ""
    return replace(way, address=address, host=host, note=way.note or inside)


def _by_ingress(route: Json, blank: Request, reader: Reader) -> Request:
    """Return the way by an Ingress: by the host name of its first rule, to the address that its controller reports."""
    reference = Reference.of(route)
    rules = (route.get("spec") or {}).get("rules") or ()
    host = rules[0].get("host") or "" if rules else ""
    way = replace(blank, route=reference, host=host)
    live = reader.get(reference) or {}
    for one in value_at(live, ("status", "loadBalancer", "ingress")) or ():
        address = one.get("hostname") or one.get("ip")
        if address:
            return replace(way, address=address, host="" if way.host == address else way.host)
    return replace(way, note=f"{reference} has no address yet")


def _reported(blank: Request, url: str) -> Request:
    """Return the way by the URL that a service reports."""
    parts = urlsplit(url)
    if not parts.hostname:
        return replace(blank, note="no address of the service is known yet")
    return replace(
        blank,
        scheme=parts.scheme,
        address=parts.hostname,
        port=parts.port or _PORTS.get(parts.scheme, 80),
        host="" if blank.host == parts.hostname else blank.host,
        path=parts.path.rstrip("/"),
        note=f"{parts.hostname} is a name inside the cluster" if _is_local(parts.hostname) else "",
    )


def _is_local(host: str) -> bool:
    return host.endswith((".svc", ".local")) or ".svc." in host


def _bracketed(host: str) -> str:
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host


def _shown(name: str, value: str) -> str:
    return mask(value) if is_secret_name(name) else value
