# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that a service is to ask for, and the service as it is."""

from __future__ import annotations

from dataclasses import dataclass

from ..accelerators.build import Accelerator, Placement
from ..accelerators.devices import Parallelism
from ..kube.manifest import FieldPath, Json, value_at


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """What is wanted. devices: of each pod. pods: of each replica. placement: what that comes to in the manifest of a pod."""

    accelerator: Accelerator
    parallelism: Parallelism
    devices: int
    pods: int
    placement: Placement


@dataclass(frozen=True, slots=True)
class LiveService:
    """A live service. held: the fields of it that we have applied. role: whose pods are meant. path: where it is below `spec`."""

    spec: Json
    held: Json
    role: str
    path: FieldPath

    @property
    def part(self) -> Json:
        """The role as it is, empty where it is not there."""
        part: Json = value_at(self.spec, self.path) or {}
        return part
