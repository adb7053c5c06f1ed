# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings that need a look at other objects: whether the gateway is there, and whether it admits the route.

Source: Gateway API v1.5.1, AllowedRoutes; reference/modelservice.md W37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.selector import selector_keys, selects
from .settings import Settings
from .spec import ModelService

#: Protocols whose listeners take an HTTPRoute where they do not say which kinds they take.
_HTTP = ("HTTP", "HTTPS")
#: A label that every namespace has.
_NAMESPACE_NAME = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True)
class _Target:
    """The gateway of a service's route, and the field that names it."""

    name: str
    namespace: str
    path: str


def advise(service: ModelService, settings: Settings, reader: Reader) -> Sequence[Problem]:
    """Return what the objects around a service say about it. Never an error: their owners may still act."""
    target = _target(service, settings)
    return () if target is None else tuple(_gateway_problems(service, target, reader))


def _target(service: ModelService, settings: Settings) -> _Target | None:
    if service.route is not None:
        namespace = service.route.gateway_namespace or service.namespace
        return _Target(service.route.gateway, namespace, "spec.httpRoute.gatewayRef")
    if settings.gateway_name:
        return _Target(settings.gateway_name, settings.gateway_namespace, "spec.httpRoute")
    return None


def _gateway_problems(service: ModelService, target: _Target, reader: Reader) -> Iterator[Problem]:
    place = f"{target.namespace}/{target.name}"
    gateway = reader.get(
        Reference("gateway.networking.k8s.io/v1", "Gateway", target.namespace, target.name)
    )
    if gateway is None:
        if reader.complete:
            yield Problem(target.path, _absent(service, place), "warning", rule="gateway-missing")
        return
    listeners = [
        listener for listener in gateway["spec"].get("listeners") or () if _takes_routes(listener)
    ]
    if any(_admits(listener, service, target, reader) for listener in listeners):
        return
    found = (
        ", ".join(f"{listener.get('name')}: {_policy(listener)}" for listener in listeners)
        or "none for HTTPRoute"
    )
    message = (
        f"no listener of Gateway {place} admits routes from namespace {service.namespace} ({found}); its owner has to set "
        "listeners[].allowedRoutes.namespaces, for example from: All or a selector. Until then the route is not served "
        "(NotAllowedByListeners)"
    )
    yield Problem(target.path, message, "warning", rule="gateway-admits")


def _absent(service: ModelService, place: str) -> str:
    if service.route is not None:
        return f"Gateway {place} does not exist, so the route is not served; create it or name another one"
    return (
        f"missing, and the Gateway of the default route, {place}, does not exist, so the route is not served; create it, name "
        "another one in httpRoute or in the setting gateway_name, or set gateway_name to an empty text for no default route"
    )


def _takes_routes(listener: Json) -> bool:
    kinds = (listener.get("allowedRoutes") or {}).get("kinds") or ()
    if not kinds:
        return listener.get("protocol") in _HTTP
    return any(kind.get("kind") == "HTTPRoute" for kind in kinds)


def _namespaces(listener: Json) -> Mapping[str, Any]:
    return (listener.get("allowedRoutes") or {}).get("namespaces") or {}


def _policy(listener: Json) -> str:
    return f"from {_namespaces(listener).get('from') or 'Same'}"


def _admits(listener: Json, service: ModelService, target: _Target, reader: Reader) -> bool:
    policy = _namespaces(listener).get("from") or "Same"
    if policy == "Same":
        return service.namespace == target.namespace
    if policy == "Selector":
        return _selected(_namespaces(listener).get("selector") or {}, service.namespace, reader)
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
