# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster has and what is taken, read page by page: nodes, pods, and the devices of drivers (DRA)."""

from __future__ import annotations

from collections.abc import Sequence

from ..accelerators.demand import Demand
from ..accelerators.inventory import Inventory
from ..accelerators.requests import CLASS_PREFIX
from ..accelerators.resource_slices import DEVICE_API, ResourceSlices
from ..cluster.errors import Gone
from ..kube.validation.resources import is_extended
from .source import Looking

_NOT_COUNTED = "devices of drivers are not counted"


def take_inventory(looking: Looking, demands: Sequence[Demand], *, with_classes: bool) -> Inventory:
    """Read nodes and pods, and what drivers publish where it matters. Where a page comes too late, begin again once."""
    try:
        return _read(looking, demands, with_classes=with_classes)
    except Gone:
        return _read(looking, demands, with_classes=with_classes)


def _read(looking: Looking, demands: Sequence[Demand], *, with_classes: bool) -> Inventory:
    inventory = Inventory(demands)
    for node in looking.each("v1", "Node", unseen="what is free is not known"):
        inventory.add_node(node)
    if ("Node", "") in looking.hidden:
        inventory.hide_nodes("nodes may not be listed")
        return inventory
    unseen = "all that nodes offer counts as free"
    for pod in looking.each("v1", "Pod", unseen=unseen):
        inventory.add_pod(pod)
    if ("Pod", "") in looking.hidden:
        inventory.unseen.append("what other pods use, which may not be listed")
    published = ResourceSlices()
    for device_class in looking.each(DEVICE_API, "DeviceClass", unseen=_NOT_COUNTED):
        published.add_class(device_class)
    # A driver may serve a resource that pods ask for without a claim.
    served = {name for each in published.classes for name in published.resources(each)}
    asked = {name for demand in demands for name in demand.requests}
    of_drivers = {name for name in asked if name in served or name.startswith(CLASS_PREFIX)}
    claiming = bool(of_drivers) or any(demand.claims for demand in demands)
    if published.classes and (with_classes or claiming):
        _read_devices(looking, published)
        inventory.add_published(published)
    if ("DeviceClass", "") in looking.hidden:
        # Then a driver may serve what no node lists.
        of_drivers |= {name for name in asked if is_extended(name) and not inventory.lists(name)}
    if {("DeviceClass", ""), ("ResourceSlice", "")} & looking.hidden:
        inventory.hide_published(of_drivers, "what drivers publish may not be listed")
    if claiming and ("ResourceClaim", "") in looking.hidden:
        inventory.unseen.append("device claims of others, which may not be listed")
    return inventory


def _read_devices(looking: Looking, published: ResourceSlices) -> None:
    for part in looking.each(DEVICE_API, "ResourceSlice", unseen=_NOT_COUNTED):
        published.add_slice(part)
    unseen = "devices of drivers all count as free"
    for claim in looking.each(DEVICE_API, "ResourceClaim", unseen=unseen):
        published.add_claim(claim)
