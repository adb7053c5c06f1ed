# SPDX-License-Identifier: GPL-3.0-or-later
"""The listeners of a Gateway: which of them take HTTPRoutes, and from which namespaces.

Source: Gateway API, AllowedRoutes and RouteNamespaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kube.manifest import Json
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.selector import selector_keys, selects

#: Protocols whose listeners take an HTTPRoute where they do not say which kinds they take.
_HTTP = ("HTTP", "HTTPS")
#: A label that every namespace has.
_NAMESPACE_NAME = "kubernetes.io/metadata.name"


def route_listeners(gateway: Json, section: str = "") -> list[Json]:
    """Return the listeners of a gateway that take HTTPRoutes. section: the name of the only one that is meant, empty for all."""
    listeners = (gateway.get("spec") or {}).get("listeners") or ()
    return [
        listener
        for listener in listeners
        if _takes_routes(listener) and section in ("", listener.get("name"))
    ]


def is_admitted(listener: Json, namespace: str, home: str, reader: Reader) -> bool:
    """Return whether a listener takes the routes of a namespace. home: the namespace of its gateway."""
    policy = _namespaces(listener).get("from") or "Same"
    if policy == "Same":
        return namespace == home
    if policy == "Selector":
        return _selected(_namespaces(listener).get("selector") or {}, namespace, reader)
    return policy == "All"


def share_a_request(one: str, other: str) -> bool:
    """Return whether a request can be for both host names, of which either may begin with `*.`."""
    return covers(one, other) or covers(other, one)


def policy_of(listener: Json) -> str:
    """Return from where a listener takes routes, for messages."""
    policy = _namespaces(listener).get("from") or "Same"
    wanted = (_namespaces(listener).get("selector") or {}).get("matchLabels") or {}
    labels = ", ".join(f"{key}={value}" for key, value in sorted(wanted.items()))
    return f"from {policy} {labels}".rstrip() if policy == "Selector" else f"from {policy}"


def taken_kinds(gateway: Json) -> str:
    """Return what the listeners of a gateway take where none takes HTTPRoutes, for messages; empty without listeners."""
    said = []
    for listener in (gateway.get("spec") or {}).get("listeners") or ():
        kinds = (listener.get("allowedRoutes") or {}).get("kinds") or ()
        what = " and ".join(str(kind.get("kind")) for kind in kinds)
        said.append(f"{listener.get('name')}: {what or listener.get('protocol')}")
    return ", ".join(said)


def covers(wide: str, narrow: str) -> bool:
    """Return whether a host name takes all requests of another; an empty one takes every request."""
    return wide in ("", narrow) or (wide.startswith("*.") and narrow.endswith(wide[1:]))


def _takes_routes(listener: Json) -> bool:
    kinds = (listener.get("allowedRoutes") or {}).get("kinds") or ()
    if not kinds:
        return listener.get("protocol") in _HTTP
    return any(kind.get("kind") == "HTTPRoute" for kind in kinds)


def _namespaces(listener: Json) -> Mapping[str, Any]:
    return (listener.get("allowedRoutes") or {}).get("namespaces") or {}


def _selected(selector: Mapping[str, Any], namespace: str, reader: Reader) -> bool:
    """Return whether a namespace is selected; yes where its labels are not known, since a wrong warning is worse than none."""
    labels = {_NAMESPACE_NAME: namespace}
    found = reader.get(Reference("v1", "Namespace", "", namespace))
    if found is not None:
        labels |= found["metadata"].get("labels") or {}
    elif selector_keys(selector) - labels.keys():
        return True
    return selects(selector, labels)
