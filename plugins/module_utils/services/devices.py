# SPDX-License-Identifier: GPL-3.0-or-later
"""How the custom resource of each kind of service asks for devices. Loaded by those alone who set them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..accelerators.build import Accelerator
from ..accelerators.devices import Parallelism
from ..kube.manifest import Json
from ..kube.problem import Problem
from .model_service import device_fields as model_service
from .model_service import spec as model_service_spec


@dataclass(frozen=True, slots=True)
class DeviceFields:
    """How one kind asks for devices.

    roles: fields below `spec` that ask separately. fields: the part of `spec` for a role. problems: what cannot be said there, with the
    devices of a pod. field_of: the fields that decide what a child asks for, by the names of service and child.
    """

    api_version: str
    roles: tuple[str, ...]
    fields: Callable[[Accelerator, Parallelism, str], Json]
    problems: Callable[[Accelerator, Parallelism, int], Iterable[Problem]]
    field_of: Callable[[str, str], str]


#: By kind.
DEVICE_FIELDS: Mapping[str, DeviceFields] = {
    model_service_spec.KIND: DeviceFields(
        model_service_spec.API_VERSION,
        model_service.ROLES,
        model_service.device_fields,
        model_service.device_problems,
        model_service.device_field_of,
    ),
}
