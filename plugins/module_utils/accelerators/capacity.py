# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster has of each device, by kind of node: in all, usable, free, and asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kube.manifest import Json
from ..kube.validation.resources import is_extended
from .inventory import Inventory, Node
from .node_eligibility import CORDONED, NOT_READY
from .vendors import vendor_of

#: By which label nodes are put together, the first that a node has.
_POOL_LABELS = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "node.kubernetes.io/instance-type",
)


def capacity(inventory: Inventory) -> list[Json]:
    """Return a row for each pool of nodes and device, sorted.

    free: on nodes that take new pods. largest_block: on one of them. unusable: free on nodes that are cordoned or not ready.
    """
    rows: dict[tuple[str, str], Json] = {}
    for node in inventory.nodes.values():
        for name in _devices(node):
            key = (pool_of(node.labels), name)
            row = rows.setdefault(key, _empty(key, product_of(name, node.labels)))
            _count(row, node, name)
    return [rows[key] for key in sorted(rows)]


def asked_for(inventory: Inventory) -> list[Json]:
    """Return the devices that pods ask for which no node has taken, by device."""
    return [
        {"resource": name, "pods": waiting.pods, "devices": waiting.devices}
        for name, waiting in sorted(inventory.waiting.items())
    ]


def _empty(key: tuple[str, str], product: str) -> Json:
    counters = ("nodes", "devices", "unhealthy", "used", "free", "largest_block", "unusable")
    return {"pool": key[0], "resource": key[1], "product": product, **dict.fromkeys(counters, 0)}


def _count(row: Json, node: Node, name: str) -> None:
    there = node.allocatable.get(name, 0)
    row["nodes"] += 1
    row["devices"] += there
    row["unhealthy"] += max(0, node.capacity.get(name, 0) - there)
    row["used"] += node.used.get(name, 0)
    if CORDONED in node.taints or NOT_READY in node.taints:
        row["unusable"] += node.free(name)
    else:
        row["free"] += node.free(name)
        row["largest_block"] = max(row["largest_block"], node.free(name))


def _devices(node: Node) -> Iterator[str]:
    for name in sorted({*node.allocatable, *node.capacity}):
        if is_extended(name) and (node.allocatable.get(name) or node.capacity.get(name)):
            yield name


def pool_of(labels: Mapping[str, str]) -> str:
    """Return the pool that a node belongs to, by the labels of the large providers."""
    return next((labels[key] for key in _POOL_LABELS if key in labels), "")


def product_of(resource: str, labels: Mapping[str, str]) -> str:
    """Return what a node's labels say about the product behind a device, empty where they say nothing."""
    vendor = vendor_of(resource)
    return labels.get(vendor.product_label, "") if vendor else ""
