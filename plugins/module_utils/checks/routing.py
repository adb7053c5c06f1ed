# SPDX-License-Identifier: GPL-3.0-or-later
"""How requests come to a service: Gateways that are there and let its routes in, names that gateways can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..kinds.check import WARNING, Check, check
from ..kinds.listeners import is_admitted, policy_of, route_listeners, share_a_request, taken_kinds
from ..kinds.view import Parent, RouteView, ServiceView
from ..kube import gvk
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference

_LISTENERS = ("spec", "listeners")
_GRANTS = f"{gvk.GATEWAY_GROUP}/v1beta1"
_VERSIONS = {"Service": ("v1",), "InferencePool": (gvk.POOL, gvk.OLD_POOL)}
#: In which API groups the kinds are to which an HTTPRoute sends requests.
_GROUPS = {kind: {each.rpartition("/")[0] for each in _VERSIONS[kind]} for kind in _VERSIONS}

MISSING = Check("gateway-missing", WARNING, finds="{absent}", fix="create it or name another one")
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
    finds="Gateway {gateway} has no listener {section}, and the route asks for that one: it is not served; it has {listeners}",
    fix="name one of these, or none for all",
)
CLASS = Check(
    "gateway-class",
    WARNING,
    finds="GatewayClass {name} of Gateway {gateway} {fault}, so nobody serves it",
    fix="install the controller of the class, or name another one in the Gateway",
)
GRANT = Check(
    "reference-grant",
    WARNING,
    finds="HTTPRoute {route} sends requests to {kind} {backend} of another namespace, which no ReferenceGrant there permits",
    fix="create a ReferenceGrant in {namespace} from HTTPRoute of {home} to {kind}",
)
BACKEND = Check(
    "backend-missing",
    WARNING,
    finds="HTTPRoute {route} sends requests to {kind} {backend}, which {absent}: they are answered with 500",
    fix="name what the service makes: {made}",
)
BACKEND_GROUP = Check(
    "backend-group",
    WARNING,
    finds='HTTPRoute {route} sends requests to {kind} {backend} of group "{group}", which has no such kind: they are answered with 500 (InvalidKind)',
    fix="set group: {right}",
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
    fault = "contains a dot" if "." in pool else "begins with a digit" if pool[:1].isdigit() else ""
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
        if parent.section and not listeners:
            # Told as a listener that is missing.
            continue
        if any(
            is_admitted(listener, namespace, parent.gateway.namespace, reader)
            for listener in listeners
        ):
            continue
        place = f"{parent.gateway.namespace}/{parent.gateway.name}"
        if listeners:
            found = ", ".join(
                f"{listener.get('name')}: {policy_of(listener)}" for listener in listeners
            )
            yield ADMITS.at(parent.place, gateway=place, namespace=namespace, found=found)
        else:
            found = taken_kinds(gateway) or "it has none"
            yield NO_HTTP.at(parent.place, gateway=place, found=found)


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


@check(SECTION, reads=("Gateways",))
def section(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield listeners that routes name and their Gateway does not have."""
    for parent in (each for route in view.routes for each in route.parents if each.section):
        gateway = reader.get(parent.gateway)
        names = [str(each.get("name")) for each in value_at(gateway or {}, _LISTENERS) or ()]
        if gateway is not None and parent.section not in names:
            yield SECTION.at(
                parent.place,
                gateway=f"{parent.gateway.namespace}/{parent.gateway.name}",
                section=parent.section,
                listeners=", ".join(names) or "none",
            )


@check(CLASS, reads=("Gateways", "GatewayClasses"))
def gateway_class(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways whose class is not there or not accepted."""
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
            place = f"{parent.gateway.namespace}/{parent.gateway.name}"
            yield CLASS.at(parent.place, name=name, gateway=place, fault=fault)


@check(GRANT, reads=("ReferenceGrants",))
def grant(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield backends in other namespaces that nobody there permits."""
    for route, backend in _backends(view):
        home = route.reference.namespace
        if backend.namespace == home:
            continue
        grants = reader.list(_GRANTS, "ReferenceGrant", backend.namespace, {})
        known = reader.complete or bool(grants)
        if known and not any(_permits(each, home, backend) for each in grants):
            yield GRANT.at(
                route.place,
                route=route.reference.name,
                kind=backend.kind,
                backend=f"{backend.namespace}/{backend.name}",
                namespace=backend.namespace,
                home=home,
            )


@check(BACKEND, reads=("Services", "InferencePools"))
def backend_missing(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield backends of routes that are not there."""
    made = [Reference.of(each) for each in view.made]
    refers = {(each.kind, each.name) for each, dummy in view.refers}
    for route, backend in _backends(view):
        ours = {each.name for each in made if each.kind == backend.kind}
        # What a controller looks for itself is told in its words.
        if backend.name in ours or (reader.complete and (backend.kind, backend.name) in refers):
            continue
        named = [
            Reference(version, backend.kind, backend.namespace, backend.name)
            for version in _VERSIONS[backend.kind]
        ]
        there = any(each in view.run or reader.get(each) for each in named)
        if there or not (reader.complete or _contradicted(backend, ours, named, reader)):
            continue
        absent = (
            "does not exist" if reader.complete else "neither it makes nor the given objects hold"
        )
        yield BACKEND.at(
            route.place,
            route=route.reference.name,
            kind=backend.kind,
            backend=f"{backend.namespace}/{backend.name}",
            absent=absent,
            made=", ".join(sorted(ours)) or f"it makes no {backend.kind}",
        )


def _contradicted(
    backend: Reference, ours: set[str], named: Sequence[Reference], reader: Reader
) -> bool:
    """Tell whether what is given leaves no doubt about a backend: its name is a slip, another one takes its place, or others are there."""
    if nearest(backend.name, ours) or (ours and backend.kind == "InferencePool"):
        return True
    return any(reader.list(each.api_version, each.kind, each.namespace, {}) for each in named)


@check(BACKEND_GROUP)
def backend_group(view: ServiceView) -> Iterator[Problem]:
    """Yield backends of routes whose kind is not in the group that they name: without a group that is the one of Services."""
    for route, each in _references(view):
        kind, group = str(each.get("kind") or "Service"), str(each.get("group") or "")
        groups = _GROUPS.get(kind, {group})
        if group not in groups:
            yield BACKEND_GROUP.at(
                route.place,
                route=route.reference.name,
                kind=kind,
                backend=each.get("name"),
                group=group,
                right=min(groups) or '""',
            )


def _references(view: ServiceView) -> Iterator[tuple[RouteView, Json]]:
    """Yield the backendRefs of HTTPRoutes."""
    for route in view.routes:
        manifest = next((each for each in view.made if Reference.of(each) == route.reference), {})
        for rule in value_at(manifest, ("spec", "rules")) or ():
            for each in rule.get("backendRefs") or ():
                yield route, each


def _backends(view: ServiceView) -> Iterator[tuple[RouteView, Reference]]:
    """Yield where the rules of HTTPRoutes send requests, each once."""
    found: dict[tuple[Reference, Reference], RouteView] = {}
    for route, each in _references(view):
        kind = each.get("kind") or "Service"
        if kind in _VERSIONS:
            place = each.get("namespace") or route.reference.namespace
            backend = Reference(_VERSIONS[kind][0], kind, place, each.get("name") or "")
            found[route.reference, backend] = route
    for (dummy, backend), route in found.items():
        yield route, backend


def _permits(grant: Json, home: str, backend: Reference) -> bool:
    spec = grant.get("spec") or {}
    comes = any(
        (each.get("kind"), each.get("namespace")) == ("HTTPRoute", home)
        for each in spec.get("from") or ()
    )
    return comes and any(
        each.get("kind") == backend.kind and each.get("name") in (None, "", backend.name)
        for each in spec.get("to") or ()
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
