# SPDX-License-Identifier: GPL-3.0-or-later
"""How requests come to a service: Gateways that are there and let its routes in, names that gateways can use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..kinds.check import WARNING, Check, check
from ..kinds.listeners import is_admitted, policy_of, route_listeners, share_a_request, taken_kinds
from ..kinds.route_view import Parent
from ..kinds.view import ServiceView
from ..kube import gvk
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import Reader

_LISTENERS = ("spec", "listeners")
_ADDRESS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}", re.ASCII)

MISSING = Check("gateway-missing", WARNING, finds="{absent}", fix="create it or name another one")
ELSEWHERE = Check(
    "gateway-missing",
    WARNING,
    finds="Gateway {gateway} is not among the given objects, but there is one of that name in {others}",
    fix="name its namespace, or give the other one, too",
)
UNKNOWN = Check(
    "gateway-missing",
    WARNING,
    finds="Gateway {gateway} is not among the given objects",
    fix="create it, or name another one{near}",
)
ADMITS = Check(
    "gateway-admits",
    WARNING,
    finds="no listener of Gateway {gateway} admits routes from namespace {namespace} ({found}), so the route is not served",
    fix="ask its owner to set listeners[].allowedRoutes.namespaces, for example from: All or a selector (NotAllowedByListeners)",
)
NO_HTTP = Check(
    "gateway-admits",
    WARNING,
    finds="no listener of Gateway {gateway} takes HTTPRoutes ({found}), so the route is not served",
    fix="ask its owner for a listener of protocol HTTP or HTTPS that takes them, or name another Gateway",
)
SECTION = Check(
    "listener-missing",
    WARNING,
    finds="Gateway {gateway} has no listener {section}, which the route names, so the route is not served; it has {listeners}",
    fix="name one of these, or none for all",
)
CLASS = Check(
    "gateway-class",
    WARNING,
    finds="GatewayClass {name} of Gateway {gateway} {fault}, so nobody serves it",
    fix="install the controller of the class, or name another one in the Gateway",
)
ADDRESS = Check(
    "host-address",
    WARNING,
    finds="{host} is an address, and a route takes names alone: gateways refuse it, or no request has it",
    fix="write a name, or leave the host names out so that every request is taken",
)
NO_LISTENER = Check(
    "listener-host",
    WARNING,
    finds="no listener of Gateway {gateway} takes requests for {host}: they are for {listeners} (NoMatchingListenerHostname)",
    fix="use a host name within one of these, or ask the Gateway's owner for a listener",
)
ISTIO_NAME = Check(
    "istio-pool-name",
    WARNING,
    finds='"{pool}" {fault}, and Istio creates a Service called "{pool}-ip-…" for the pool, which must be a DNS label',
    fix="give the service a name of letters, digits and dashes that begins with a letter",
)


@check(ISTIO_NAME)
def istio_pool_name(view: ServiceView) -> Iterator[Problem]:
    """Yield pool names from which Istio makes an illegal Service name."""
    pool = view.picker.pool if view.picker is not None and view.provider == "istio" else ""
    fault = "contains a dot" if "." in pool else "begins with a digit" if pool[:1].isdigit() else ""
    if fault:
        fix = view.ways.get(ISTIO_NAME.rule, "")
        yield ISTIO_NAME.at("metadata.name", pool=pool, fault=fault, fix=fix)


@check(MISSING, reads=("Gateways",))
def missing(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways that do not exist. Never an error: their owners may still make them."""
    for parent in _parents(view):
        if parent.absent and reader.complete and reader.get(parent.gateway) is None:
            yield MISSING.at(parent.place, absent=parent.absent)


@check(ELSEWHERE, reads=("Gateways",))
def elsewhere(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways that the given objects only have in another namespace."""
    for parent in _parents(view) if not reader.complete else ():
        given = reader.list(gvk.GATEWAY, "Gateway", "", {})
        spaces = sorted(
            str(each["metadata"].get("namespace"))
            for each in given
            if each["metadata"]["name"] == parent.gateway.name
        )
        if spaces and parent.gateway.namespace not in spaces:
            yield ELSEWHERE.at(
                parent.place, gateway=parent.gateway.full_name, others=", ".join(spaces)
            )


@check(UNKNOWN, reads=("Gateways",))
def unknown(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways of a name that none of those has which are given of their namespace; kinds that refuse this say it themselves."""
    for parent in _parents(view) if not reader.complete else ():
        there = reader.list(gvk.GATEWAY, "Gateway", parent.gateway.namespace, {})
        names = sorted(str(each["metadata"]["name"]) for each in there)
        if parent.absent and names and parent.gateway.name not in names:
            near = nearest(parent.gateway.name, names)
            yield UNKNOWN.at(
                parent.place,
                gateway=f"{parent.gateway.namespace}/{parent.gateway.name}",
                near=f"; did you mean {near}?" if near else f"; there is {', '.join(names)}",
            )


@check(ADMITS, reads=("Gateways", "Namespaces"))
def admits(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways without a listener that admits routes of the service's namespace."""
    namespace = view.reference.namespace
    for parent in _parents(view):
        gateway = reader.get(parent.gateway)
        if gateway is None:
            continue
        listeners = route_listeners(gateway, parent.section)
        if parent.section and not listeners:
            # Told as a listener that is missing.
            continue
        if any(
            is_admitted(listener, namespace, parent.gateway.namespace, reader)
            for listener in listeners
        ):
            continue
        if listeners:
            found = ", ".join(
                f"{listener.get('name')}: {policy_of(listener)}" for listener in listeners
            )
            yield ADMITS.at(
                parent.place, gateway=parent.gateway.full_name, namespace=namespace, found=found
            )
        else:
            found = taken_kinds(gateway) or "it has none"
            yield NO_HTTP.at(parent.place, gateway=parent.gateway.full_name, found=found)


@check(ADDRESS, costly=True)
def host_address(view: ServiceView) -> Iterator[Problem]:
    """Yield addresses in the place of host names of routes."""
    for route in view.routes:
        for host in route.hostnames:
            if _ADDRESS.fullmatch(host):
                yield ADDRESS.at(route.place, host=host)


@check(NO_LISTENER, reads=("Gateways", "Namespaces"))
def no_listener(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield host names of routes that no listener of their Gateway accepts."""
    namespace = view.reference.namespace
    for route in view.routes:
        for parent in route.parents:
            gateway = (
                reader.get(parent.gateway) if parent.gateway.api_version == gvk.GATEWAY else None
            )
            admitting = [
                listener
                for listener in route_listeners(gateway or {}, parent.section)
                if is_admitted(listener, namespace, parent.gateway.namespace, reader)
            ]
            hosts = [str(listener.get("hostname") or "") for listener in admitting]
            if not hosts or "" in hosts:
                continue
            for host in route.hostnames:
                if not any(share_a_request(host, taken) for taken in hosts):
                    yield NO_LISTENER.at(
                        route.place,
                        gateway=parent.gateway.full_name,
                        host=host,
                        listeners=_shown(admitting),
                    )


@check(SECTION, reads=("Gateways",))
def section(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield listeners that routes name and their Gateway does not have."""
    for parent in (each for route in view.routes for each in route.parents if each.section):
        gateway = reader.get(parent.gateway)
        names = [str(each.get("name")) for each in value_at(gateway or {}, _LISTENERS) or ()]
        if gateway is not None and parent.section not in names:
            yield SECTION.at(
                parent.place,
                gateway=parent.gateway.full_name,
                section=parent.section,
                listeners=", ".join(names) or "none",
            )


@check(CLASS, reads=("Gateways", "GatewayClasses"))
def gateway_class(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways whose class does not exist or is not accepted."""
    for parent in _parents(view):
        gateway = reader.get(parent.gateway)
        name = value_at(gateway or {}, ("spec", "gatewayClassName"))
        if not name:
            continue
        classes = reader.list(gvk.GATEWAY, "GatewayClass", "", {})
        found = next((each for each in classes if each["metadata"]["name"] == name), None)
        fault = ""
        if found is None and (reader.complete or classes):
            fault = "does not exist" if reader.complete else "is not among the given objects"
        for condition in value_at(found or {}, ("status", "conditions")) or ():
            if (condition.get("type"), condition.get("status")) == ("Accepted", "False"):
                fault = f"is not accepted ({condition.get('message') or condition.get('reason')})"
        if fault:
            yield CLASS.at(parent.place, name=name, gateway=parent.gateway.full_name, fault=fault)


def _shown(listeners: Sequence[Json]) -> str:
    return ", ".join(f"{each.get('hostname')} (listener {each.get('name')})" for each in listeners)


def _parents(view: ServiceView) -> Iterator[Parent]:
    """Yield the Gateways of a service's routes, each once."""
    yield from {
        parent.gateway: parent
        for route in view.routes
        for parent in route.parents
        if parent.gateway.api_version == gvk.GATEWAY
    }.values()
