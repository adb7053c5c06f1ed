# SPDX-License-Identifier: GPL-3.0-or-later
"""How requests come to a service: Gateways that are there and let its routes in, names that gateways can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..kinds.check import WARNING, Check, check
from ..kinds.listeners import is_admitted, policy_of, route_listeners, share_a_request
from ..kinds.view import Parent, ServiceView
from ..kube import gvk
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Reader

MISSING = Check("gateway-missing", WARNING, finds="{absent}", fix="create it or name another one")
ADMITS = Check(
    "gateway-admits",
    WARNING,
    finds="no listener of Gateway {gateway} admits routes from namespace {namespace} ({found}), so the route is not served",
    fix="ask its owner to set listeners[].allowedRoutes.namespaces, for example from: All or a selector (NotAllowedByListeners)",
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
    finds='"{pool}" {fault}, and Istio makes a Service called "{pool}-ip-…" for the pool, which must be a DNS label',
    fix="give the service a name of letters, digits and dashes that begins with a letter",
)


@check(ISTIO_NAME)
def istio_pool_name(view: ServiceView) -> Iterator[Problem]:
    """Yield pool names of which Istio makes an illegal Service."""
    pool = view.picker.pool if view.picker is not None and view.provider == "istio" else ""
    fault = "holds a dot" if "." in pool else "begins with a digit" if pool[:1].isdigit() else ""
    if fault:
        fix = view.ways.get(ISTIO_NAME.rule, "")
        yield ISTIO_NAME.at("metadata.name", pool=pool, fault=fault, fix=fix)


@check(MISSING, reads=("Gateways",))
def missing(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways that are not there. Never an error: their owners may still make them."""
    for parent in _parents(view):
        if parent.absent and reader.complete and reader.get(parent.gateway) is None:
            yield MISSING.at(parent.place, absent=parent.absent)


@check(ADMITS, reads=("Gateways", "Namespaces"))
def admits(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways of which no listener lets in routes of the service's namespace."""
    namespace = view.reference.namespace
    for parent in _parents(view):
        gateway = reader.get(parent.gateway)
        if gateway is None:
            continue
        listeners = route_listeners(gateway, parent.section)
        if any(
            is_admitted(listener, namespace, parent.gateway.namespace, reader)
            for listener in listeners
        ):
            continue
        found = (
            ", ".join(f"{listener.get('name')}: {policy_of(listener)}" for listener in listeners)
            or "none for HTTPRoute"
        )
        place = f"{parent.gateway.namespace}/{parent.gateway.name}"
        yield ADMITS.at(parent.place, gateway=place, namespace=namespace, found=found)


@check(NO_LISTENER, reads=("Gateways", "Namespaces"))
def no_listener(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield host names of routes that no listener of their Gateway takes."""
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
                        gateway=f"{parent.gateway.namespace}/{parent.gateway.name}",
                        host=host,
                        listeners=_shown(admitting),
                    )


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
