# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices: what parallelism asks for against what is written by hand."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from ....kube.quantity import parse_quantity
from ....kube.schema_check import child_path
from ....kube.schema_faults import show
from ..children.accelerator import RESOURCES, devices
from ..settings import Settings
from ..spec import ModelService, Role, roles

#: Prefixes of the resources under which vendors offer devices.
_VENDORS = (
    "nvidia.com/",
    "amd.com/",
    "habana.ai/",
    "google.com/",
    "gpu.intel.com/",
    "aws.amazon.com/neuron",
)


def by_hand(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of devices in `resources`: overwritten for the accelerator's own (docs/differences.md, W51), contradicting it for others."""
    for name, role in roles(service):
        for side in ("limits", "requests"):
            for resource, amount in (role.resources.get(side) or {}).items():
                message = _fault(service.accelerator, role, resource, amount)
                if message:
                    path = child_path(f"spec.{name}.resources.{side}", resource)
                    yield Problem(path, message, "warning", rule="devices-by-hand")


def _fault(accelerator: str, role: Role, resource: str, amount: str) -> str | None:
    count = devices(role)
    if resource == RESOURCES.get(accelerator):
        if parse_quantity(amount) == count:
            return None
        return (
            f"{amount} is replaced by {count}, which is parallelism.tensor times parallelism.dataLocal; set those and leave "
            f"{resource} out"
        )
    if not resource.startswith(_VENDORS):
        return None
    return (
        f"{amount} of {show(resource)} is requested by hand, while spec.accelerator.type is {accelerator}; "
        "set the type and parallelism, and leave the resource out"
    )


def data_parallel(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of data parallel sizes for which no devices are asked (docs/differences.md, W50)."""
    for name, role in roles(service):
        if role.data > 1 and role.data_local == 1 and service.accelerator != "cpu":
            message = (
                f"{role.data} copies of the model get the devices of one, since only dataLocal counts; for one pod set "
                f"dataLocal to {role.data} too"
            )
            yield Problem(
                f"spec.{name}.parallelism.data", message, "warning", rule="data-parallel-devices"
            )
