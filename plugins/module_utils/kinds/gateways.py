# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a gateway is there and admits the routes of a service's namespace. Source: Gateway API v1.5.1, AllowedRoutes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..kube import gvk
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.selector import selector_keys, selects

#: Protocols whose listeners take an HTTPRoute where they do not say which kinds they take.
_HTTP = ("HTTP", "HTTPS")
#: A label that every namespace has.
_NAMESPACE_NAME = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True)
class Target:
    """The gateway of a route, the field that names it, and what is said where it is not there."""

    name: str
    namespace: str
    path: str
    absent: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


def gateway_problems(target: Target, namespace: str, reader: Reader) -> Iterator[Problem]:
    """Yield warnings of a gateway that does not serve the routes of a namespace. Never an error: its owner may still act."""
    gateway = reader.get(Reference(gvk.GATEWAY, "Gateway", target.namespace, target.name))
    if gateway is None:
        if reader.complete:
            yield Problem(target.path, target.absent, "warning", rule="gateway-missing")
        return
    listeners = [
        listener for listener in gateway["spec"].get("listeners") or () if _takes_routes(listener)
    ]
    if any(_admits(listener, namespace, target, reader) for listener in listeners):
        return
    found = (
        ", ".join(f"{listener.get('name')}: {_policy(listener)}" for listener in listeners)
        or "none for HTTPRoute"
    )
    message = (
        f"no listener of Gateway {target} admits routes from namespace {namespace} ({found}); its owner has to set "
        "listeners[].allowedRoutes.namespaces, for example from: All or a selector. Until then the route is not served "
        "(NotAllowedByListeners)"
    )
    yield Problem(target.path, message, "warning", rule="gateway-admits")


def _takes_routes(listener: Json) -> bool:
    kinds = (listener.get("allowedRoutes") or {}).get("kinds") or ()
    if not kinds:
        return listener.get("protocol") in _HTTP
    return any(kind.get("kind") == "HTTPRoute" for kind in kinds)


def _namespaces(listener: Json) -> Mapping[str, Any]:
    return (listener.get("allowedRoutes") or {}).get("namespaces") or {}


def _policy(listener: Json) -> str:
    return f"from {_namespaces(listener).get('from') or 'Same'}"


def _admits(listener: Json, namespace: str, target: Target, reader: Reader) -> bool:
    policy = _namespaces(listener).get("from") or "Same"
    if policy == "Same":
        return namespace == target.namespace
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
