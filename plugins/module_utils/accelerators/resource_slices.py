# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that drivers publish for Dynamic Resource Allocation (DRA), and which are taken: counted by device class and node.

Counted are whole devices that belong to one node. Where a class has others, or a selector that is not simple, it says so instead.
Source: resource.k8s.io/v1 of Kubernetes v1.36.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..kube.manifest import Json, value_at
from ..kube.quantity import is_quantity, parse_quantity
from .device_selectors import Equality, Value, holds, read_selectors
from .requests import CLASS_PREFIX

DEVICE_API = "resource.k8s.io/v1"
_KEEPS_AWAY = ("NoSchedule", "NoExecute")
#: Fields by which a device is a part of another, or shared.
_PARTS = ("consumesCounters", "allowMultipleAllocations", "bindsToNode", "bindingConditions")


@dataclass(frozen=True, slots=True)
class _Device:
    name: str
    attributes: Mapping[str, Value]
    capacity: Mapping[str, str]
    tainted: bool


@dataclass(frozen=True, slots=True)
class _Slice:
    """A part of a pool. parts: slices that the pool has. odd: why its devices are not counted, empty for nothing."""

    driver: str
    pool: str
    generation: int
    parts: int
    node: str
    devices: Sequence[_Device]
    odd: str


class ResourceSlices:
    """Device classes, slices and allocated claims, taken in one by one."""

    def __init__(self) -> None:
        self._classes: dict[str, list[Equality] | None] = {}
        self._names: dict[str, str] = {}
        self._slices: list[_Slice] = []
        self._taken: set[tuple[str, str, str]] = set()

    @property
    def classes(self) -> Sequence[str]:
        """The names of the device classes."""
        return sorted(self._classes)

    def add_class(self, manifest: Json) -> None:
        """Take in a DeviceClass."""
        selectors = value_at(manifest, ("spec", "selectors")) or ()
        name = manifest["metadata"]["name"]
        self._classes[name] = read_selectors(selectors)
        self._names[name] = value_at(manifest, ("spec", "extendedResourceName")) or ""

    def resources(self, device_class: str) -> tuple[str, ...]:
        """Return the resources as which the devices of a class can be asked for."""
        extended = self._names[device_class]
        return (f"{CLASS_PREFIX}{device_class}", *((extended,) if extended else ()))

    def add_slice(self, manifest: Json) -> None:
        """Take in a ResourceSlice."""
        spec = manifest["spec"]
        driver, pool, devices = spec["driver"], spec["pool"], spec.get("devices") or ()
        odd = ""
        if not spec.get("nodeName"):
            odd = f"devices of {driver} that do not belong to one node each"
        elif spec.get("sharedCounters") or any(
            device.get(field) for device in devices for field in _PARTS
        ):
            odd = f"parts of devices of {driver}, or devices that are shared"
        self._slices.append(
            _Slice(
                driver,
                pool["name"],
                pool["generation"],
                pool["resourceSliceCount"],
                spec.get("nodeName") or "",
                [_device(device, driver) for device in devices],
                odd,
            )
        )

    def add_claim(self, manifest: Json) -> None:
        """Take in a ResourceClaim: what it has been given is taken."""
        path = ("status", "allocation", "devices", "results")
        for result in value_at(manifest, path) or ():
            if not result.get("adminAccess"):
                self._taken.add((result["driver"], result["pool"], result["device"]))

    def fault(self, device_class: str) -> str:
        """Return why the devices of a class are not counted, empty where they are."""
        conditions = self._classes[device_class]
        if conditions is None:
            return f"the selector of DeviceClass {device_class} is more than equalities"
        for each in self._current():
            if self._of_another_driver(conditions, each.driver):
                continue
            if each.odd:
                return each.odd
            if any(
                holds(conditions, each.driver, device.attributes) is None for device in each.devices
            ):
                return (
                    f"the selector of DeviceClass {device_class} fails for devices of {each.driver}"
                )
        return ""

    def by_node(self, device_class: str) -> dict[str, tuple[int, int]]:
        """Return the devices of a class on each node: how many there are, and how many of them are taken."""
        conditions = self._classes[device_class] or []
        there: Counter[str] = Counter()
        taken: Counter[str] = Counter()
        for each in self._current():
            for device in each.devices:
                held = (each.driver, each.pool, device.name) in self._taken
                # A tainted device takes no new claims; one that is held still counts.
                if holds(conditions, each.driver, device.attributes) and (
                    held or not device.tainted
                ):
                    there[each.node] += 1
                    taken[each.node] += held
        return {node: (count, taken[node]) for node, count in there.items()}

    def values(self, device_class: str, attribute: str) -> set[Value]:
        """Return the values that an attribute has on the devices of a class; none where they, or those of one device, are not known."""
        devices = [device.attributes for dummy, device in self._of_class(device_class)]
        if any(attribute not in each for each in devices):
            return set()
        return {each[attribute] for each in devices}

    def largest(self, device_class: str, capacity: str) -> str | None:
        """Return the most that a device of a class has of a capacity, None where that is not known. capacity: without a domain, that of its driver."""
        amounts = [
            device.capacity.get(capacity if "/" in capacity else f"{driver}/{capacity}")
            for driver, device in self._of_class(device_class)
        ]
        known = [each for each in amounts if each is not None]
        return max(known, key=parse_quantity) if known and len(known) == len(amounts) else None

    def _of_class(self, device_class: str) -> list[tuple[str, _Device]]:
        """Return the devices of a class, each with its driver; none where they are not known."""
        conditions = self._classes.get(device_class)
        if conditions is None or self.fault(device_class):
            return []
        return [
            (each.driver, device)
            for each in self._current()
            for device in each.devices
            if holds(conditions, each.driver, device.attributes)
        ]

    def _current(self) -> Iterator[_Slice]:
        """Yield the slices of each pool's newest generation, of pools that are complete."""
        pools: dict[tuple[str, str], list[_Slice]] = {}
        for each in self._slices:
            pools.setdefault((each.driver, each.pool), []).append(each)
        for slices in pools.values():
            newest = max(each.generation for each in slices)
            current = [each for each in slices if each.generation == newest]
            if len(current) == current[0].parts:
                yield from current

    @staticmethod
    def _of_another_driver(conditions: Sequence[Equality], driver: str) -> bool:
        return any(not each.attribute and each.value != driver for each in conditions)


def _device(device: Json, driver: str) -> _Device:
    attributes = {}
    for name, given in (device.get("attributes") or {}).items():
        key = name if "/" in name else f"{driver}/{name}"
        # Versions and lists are compared by functions, never by an equality.
        plain = [given[kind] for kind in ("string", "int", "bool") if kind in given]
        if plain:
            attributes[key] = plain[0]
    tainted = any(taint.get("effect") in _KEEPS_AWAY for taint in device.get("taints") or ())
    capacity = {
        name if "/" in name else f"{driver}/{name}": str(given["value"])
        for name, given in (device.get("capacity") or {}).items()
        if isinstance(given, dict) and is_quantity(given.get("value"))
    }
    return _Device(device["name"], attributes, capacity, tainted)
