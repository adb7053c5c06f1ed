# SPDX-License-Identifier: GPL-3.0-or-later
"""References to the objects of the Gateway API that a service names."""

from __future__ import annotations

from ....kube import gvk
from ....kube.condition import GATEWAY_GROUP
from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...children import ObjectKind

GATEWAY_API = f"{GATEWAY_GROUP}/v1"
POOL_GROUP = gvk.POOL_GROUP
OLD_POOL_GROUP = gvk.OLD_POOL_GROUP
POOL_API = f"{POOL_GROUP}/v1"
OLD_POOL_API = f"{OLD_POOL_GROUP}/v1alpha2"

GATEWAY = ObjectKind(GATEWAY_API, "Gateway", foreign=True, common=True)
GATEWAY_CLASS = ObjectKind(GATEWAY_API, "GatewayClass", common=True)
ROUTE = ObjectKind(
    GATEWAY_API, "HTTPRoute", observed=True, compared=True, answered=True, foreign=True
)
POOL = ObjectKind(POOL_API, "InferencePool", observed=True, foreign=True)
OLD_POOL = ObjectKind(OLD_POOL_API, "InferencePool", observed=True)


def gateway(namespace: str, name: str) -> Reference:
    """Return the reference of a Gateway."""
    return Reference(GATEWAY_API, "Gateway", namespace, name)


def route(namespace: str, name: str) -> Reference:
    """Return the reference of an HTTPRoute."""
    return Reference(GATEWAY_API, "HTTPRoute", namespace, name)


def parent_gateway(parent: Json, namespace: str) -> Reference:
    """Return the Gateway that a parentRef names, whatever its kind says. namespace: that of the route.

    An empty namespace is taken as it is: presets give one to a gateway ref without namespace, and KServe 0.17 finds
    nothing there.
    """
    place = parent.get("namespace")
    return gateway(namespace if place is None else place, parent.get("name") or "")


def shown(reference: Reference) -> str:
    """Return namespace and name as messages of the controller write them."""
    return f"{reference.namespace}/{reference.name}"


def tells_of_gateways(reader: Reader) -> bool:
    """Return whether an object of the Gateway API that the reader does not know is not there.

    True for a cluster. Given manifests count as the whole world as soon as one Gateway is among them.
    """
    return reader.complete or bool(reader.list(GATEWAY_API, "Gateway", "", {}))
