# SPDX-License-Identifier: GPL-3.0-or-later
"""Device claims whose selectors no published device meets. Where devices meet them, how many are free for a claim is not counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.quantity import is_quantity, parse_quantity
from ..kube.schema_faults import show
from ..kube.text import few
from .demand import Demand
from .device_selectors import Capacity, read_capacities, read_selectors
from .resource_slices import ResourceSlices

_SHOWN = 5


def selector_problems(
    demand: Demand, templates: Mapping[str, Json], published: ResourceSlices
) -> Iterator[Problem]:
    """Yield requests of claims that no device meets. templates: ResourceClaimTemplates of the namespace, by name."""
    named = [
        each.get("resourceClaimTemplateName") for each in demand.spec.get("resourceClaims") or ()
    ]
    for name in dict.fromkeys(each for each in named if each in templates):
        requests = value_at(templates[name], ("spec", "spec", "devices", "requests")) or ()
        for request in requests:
            yield from _unmet(str(name), request, published)


def _unmet(template: str, request: Json, published: ResourceSlices) -> Iterator[Problem]:
    exactly = request.get("exactly") or {}
    conditions = read_selectors(exactly.get("selectors") or ())
    device_class = str(exactly.get("deviceClassName") or "")
    for capacity in _capacities(exactly):
        largest = published.largest(device_class, capacity.name)
        if largest is None or _is_enough(largest, capacity):
            continue
        least = "more than" if capacity.above else "at least"
        text = (
            f"no device of DeviceClass {device_class} has {least} {capacity.amount} of {capacity.name}, which request {request.get('name')} "
            f"of ResourceClaimTemplate {template} wants: the pods stay Pending; the largest has {largest}"
        )
        yield Problem("", text, rule="fit")
    for condition in conditions or ():
        found = published.values(device_class, condition.attribute) if condition.attribute else None
        if not found or condition.value in found:
            continue
        shown = few(sorted(show(each) for each in found), _SHOWN)
        text = (
            f"no device of DeviceClass {device_class} has {condition.attribute} {show(condition.value)}, which request {request.get('name')} "
            f"of ResourceClaimTemplate {template} wants: the pods stay Pending; published are {shown}"
        )
        yield Problem("", text, rule="fit")


def _capacities(exactly: Json) -> list[Capacity]:
    """Return what a request wants devices to have, by its selectors and by its own field."""
    wanted = value_at(exactly, ("capacity", "requests")) or {}
    found = [Capacity(str(name), str(amount)) for name, amount in wanted.items()]
    found += read_capacities(exactly.get("selectors") or ())
    return [each for each in found if is_quantity(each.amount)]


def _is_enough(largest: str, capacity: Capacity) -> bool:
    there, wanted = parse_quantity(largest), parse_quantity(capacity.amount)
    return there > wanted if capacity.above else there >= wanted
