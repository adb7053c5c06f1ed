# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of a ModelService mean devices, for those who set nothing else of it."""

from __future__ import annotations

from collections.abc import Iterator

from ...accelerators.build import node_selector
from ...accelerators.vendors import CPU, resource_name
from ...kube.manifest import Json
from ...kube.names import quoted
from ...kube.problem import Problem
from ...kube.text import counted
from ..device_request import DeviceRequest, LiveService
from . import names
from .schema import ACCELERATORS

_WORKLOADS = {"decode": names.decode, "prefill": names.prefill}
ROLES = tuple(_WORKLOADS)


def device_fields(wish: DeviceRequest, service: LiveService) -> Json:
    """Return the part of `spec` that makes the pods of a role ask for devices. Its devices are tensor times dataLocal."""
    parallelism = wish.parallelism
    sizes = {
        "tensor": parallelism.tensor,
        "data": parallelism.data,
        "dataLocal": parallelism.ranks_in_pod,
    }
    fields: Json = {"parallelism": sizes}
    selector = node_selector(wish.accelerator)
    if selector:
        fields["nodeSelector"] = selector
    return {"accelerator": {"type": wish.accelerator.vendor}, service.role: fields}


def fields_of_others(applied: Json, role: str) -> Json:
    """Return what the other role has of fields that were applied: its own, and the accelerator that both name."""
    others = {name: applied[name] for name in ROLES if name != role and name in applied}
    return {"accelerator": applied["accelerator"], **others} if others else {}


def shown_devices(spec: Json, role: str) -> Json:
    """Return the fields of a version of `spec` that mean devices."""
    part = spec.get(role) or {}
    fields = {name: part[name] for name in ("parallelism", "nodeSelector") if part.get(name)}
    return {"accelerator": spec.get("accelerator"), role: fields}


def device_problems(wish: DeviceRequest, dummy: LiveService) -> Iterator[Problem]:
    """Yield what is wanted and cannot be said in a ModelService."""
    accelerator, parallelism, devices = wish.accelerator, wish.parallelism, wish.devices
    vendor = accelerator.vendor
    if vendor not in ACCELERATORS:
        text = f"{quoted(vendor)} is not one of those of a ModelService: {', '.join(ACCELERATORS)}"
        yield Problem("accelerator.type", text, rule="accelerator")
    elif vendor != CPU and accelerator.resource != resource_name(vendor):
        text = f"a ModelService asks for whole devices; it has no field for {accelerator.resource}"
        yield Problem("accelerator", text, rule="accelerator")
    if accelerator.device_class:
        text = "a ModelService has no field for device claims"
        yield Problem("accelerator.device_class", text, rule="accelerator")
    if parallelism.pipeline > 1:
        text = f"{parallelism.pipeline}: a ModelService has no field for pipeline stages"
        yield Problem("parallelism.pipeline", text, rule="parallelism")
    made = parallelism.tensor * parallelism.ranks_in_pod
    if vendor != CPU and devices != made:
        text = f"each pod needs {counted(devices, 'device')}, but a ModelService requests tensor × dataLocal, which is {made}"
        yield Problem("devices", text, rule="devices")


def device_field_of(service: str, workload: str) -> str:
    """Return the fields that say what a service's workload asks for, empty where it asks for no devices."""
    roles = [role for role, name in _WORKLOADS.items() if name(service) == workload]
    return f"spec.accelerator.type and spec.{roles[0]}.parallelism" if roles else ""
