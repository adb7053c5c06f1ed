# SPDX-License-Identifier: GPL-3.0-or-later
"""How requests come to a service: Gateways that are there and let its routes in, names that gateways can use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..kinds.check import WARNING, Check, check
from ..kinds.view import Parent, ServiceView
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.selector import selector_keys, selects

#: Protocols whose listeners take an HTTPRoute where they do not say which kinds they take.
_HTTP = ("HTTP", "HTTPS")
#: A label that every namespace has.
_NAMESPACE_NAME = "kubernetes.io/metadata.name"

MISSING = Check("gateway-missing", WARNING, finds="{absent}", fix="create it or name another one")
ADMITS = Check(
    "gateway-admits",
    WARNING,
    finds="no listener of Gateway {gateway} admits routes from namespace {namespace} ({found}), so the route is not served",
    fix="ask its owner to set listeners[].allowedRoutes.namespaces, for example from: All or a selector (NotAllowedByListeners)",
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
        listeners = listeners_of(gateway, parent)
        if any(_admits(listener, namespace, parent, reader) for listener in listeners):
            continue
        found = (
            ", ".join(f"{listener.get('name')}: {_policy(listener)}" for listener in listeners)
            or "none for HTTPRoute"
        )
        place = f"{parent.gateway.namespace}/{parent.gateway.name}"
        yield ADMITS.at(parent.place, gateway=place, namespace=namespace, found=found)


def listeners_of(gateway: Json, parent: Parent) -> list[Json]:
    """Return the listeners that a parentRef means and that take HTTPRoutes."""
    return [
        listener
        for listener in (gateway.get("spec") or {}).get("listeners") or ()
        if _takes_routes(listener) and parent.section in ("", listener.get("name"))
    ]


def _parents(view: ServiceView) -> Iterator[Parent]:
    """Yield the Gateways of a service's routes, each once."""
    yield from {
        parent.gateway: parent for route in view.routes for parent in route.parents
    }.values()


def _takes_routes(listener: Json) -> bool:
    kinds = (listener.get("allowedRoutes") or {}).get("kinds") or ()
    if not kinds:
        return listener.get("protocol") in _HTTP
    return any(kind.get("kind") == "HTTPRoute" for kind in kinds)


def _namespaces(listener: Json) -> Mapping[str, Any]:
    return (listener.get("allowedRoutes") or {}).get("namespaces") or {}


def _policy(listener: Json) -> str:
    return f"from {_namespaces(listener).get('from') or 'Same'}"


def _admits(listener: Json, namespace: str, parent: Parent, reader: Reader) -> bool:
    policy = _namespaces(listener).get("from") or "Same"
    if policy == "Same":
        return namespace == parent.gateway.namespace
    if policy == "Selector":
        return _selected(_namespaces(listener).get("selector") or {}, namespace, reader)
    return policy == "All"


def _selected(selector: Mapping[str, Any], namespace: str, reader: Reader) -> bool:
    """Return whether a namespace is selected; yes where its labels are not known, since a wrong warning is worse than none."""
    labels = {_NAMESPACE_NAME: namespace}
    found = reader.get(Reference("v1", "Namespace", "", namespace))
    if found is not None:
        labels |= found["metadata"].get("labels") or {}
    elif selector_keys(selector) - labels.keys():
        return True
    return selects(selector, labels)
