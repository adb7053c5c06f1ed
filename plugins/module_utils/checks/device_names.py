# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices by name: resources that no device plugin offers, and variables that name devices which the container does not get.

Source: NVIDIA k8s-device-plugin README, With Docker and CRI; CUDA programming guide, environment variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..accelerators.mig_profiles import profile_fault
from ..accelerators.vendors import VENDORS, is_device, is_mig, is_shared, profile_of
from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.containers import containers_of
from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from .node_choice import demanded

#: Which devices a process uses, of those that its container gets: numbers from 0 on.
_USES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
#: Which devices a container gets, by which the device plugin says so; "void" and "none" say none.
_GETS, _NONE = ("NVIDIA_VISIBLE_DEVICES", "HABANA_VISIBLE_DEVICES"), ("", "void", "none")
_WHOLE = frozenset(vendor.resource for vendor in VENDORS.values())
#: Shares of a device that HAMi offers. Source: HAMi README, Submitting Tasks.
_OF_HAMI = frozenset({"nvidia.com/gpucores", "nvidia.com/gpumem", "nvidia.com/gpumem-percentage"})
#: Names that are as alike as these differ in a letter or an ending.
_LIKENESS = 0.85

UNKNOWN = Check(
    "device-name",
    WARNING,
    finds="no device plugin offers {resource}: the pods wait forever",
    fix="write {near} if that is what you mean",
)
NO_SLICE = Check(
    "device-name",
    WARNING,
    finds="{fault}, and the pods ask for {resource} on nodes with this product: they wait forever",
    fix="ask for slices that the product has, or choose other nodes",
)
BEYOND = Check(
    "visible-devices",
    WARNING,
    finds="{name} names device {number}, and the container gets {count} {resource}, counted from 0: the engine does not start",
    fix="leave the variable out: a container sees only its own devices",
)
PAST_PLUGIN = Check(
    "visible-devices",
    WARNING,
    finds="{name} is {value}, so the container gets devices of the node that other pods use, past the scheduler",
    fix="leave the variable out, and request devices in resources.limits",
)


@check(UNKNOWN, costly=True)
def unknown(view: ServiceView) -> Iterator[Problem]:
    """Yield resources that resemble a vendor's devices, but that no plugin offers."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            for name in (container.get("resources") or {}).get("limits") or {}:
                offered = name in _WHOLE or name in _OF_HAMI
                plain = not (is_mig(name) or is_shared(name) or offered)
                near = nearest(name, _WHOLE, _LIKENESS) if plain and "/" in name else None
                if near:
                    where = workload.fields(f'{path}.resources.limits["{name}"]')
                    yield UNKNOWN.at(where, resource=name, near=near)


@check(NO_SLICE, costly=True)
def no_slice(view: ServiceView) -> Iterator[Problem]:
    """Yield slices of devices on nodes whose devices are never cut so."""
    label = VENDORS["nvidia"].product_label
    for workload in view.workloads:
        chosen = [each.values for each in demanded(workload) if each.key == label]
        for container, path in containers_of(workload.pod) if chosen else ():
            limits = (container.get("resources") or {}).get("limits") or {}
            for resource in filter(is_mig, limits):
                faults = [profile_fault(profile_of(resource), product) for product in chosen[0]]
                if all(faults):
                    yield NO_SLICE.at(
                        workload.fields(f'{path}.resources.limits["{resource}"]'),
                        fault=faults[0],
                        resource=resource,
                    )


@check(BEYOND, costly=True)
def beyond(view: ServiceView) -> Iterator[Problem]:
    """Yield variables that select devices which the container does not get."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            limits = (container.get("resources") or {}).get("limits") or {}
            devices = {name: str(count) for name, count in limits.items() if is_device(name)}
            for number, variable in enumerate(container.get("env") or ()):
                last = _last(str(variable.get("value") or ""))
                if variable.get("name") not in _USES or last is None or len(devices) != 1:
                    continue
                ((resource, count),) = devices.items()
                if count.isdecimal() and last >= int(count):
                    yield BEYOND.at(
                        workload.fields(f"{path}.env[{number}]"),
                        name=variable["name"],
                        number=last,
                        count=count,
                        resource=resource,
                    )


@check(PAST_PLUGIN, costly=True)
def past_plugin(view: ServiceView) -> Iterator[Problem]:
    """Yield variables that give a container devices past the scheduler."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            for number, variable in enumerate(container.get("env") or ()):
                value = str(variable.get("value") or "")
                place = workload.fields(f"{path}.env[{number}]")
                if variable.get("name") in _GETS and value not in _NONE and not place.object:
                    yield PAST_PLUGIN.at(place, name=variable["name"], value=value)


def _last(value: str) -> int | None:
    """Return the highest number of a list such as `0,1`, None where it holds something else."""
    numbers = [part.strip() for part in value.split(",")]
    return max(map(int, numbers)) if all(map(str.isdecimal, numbers)) else None
