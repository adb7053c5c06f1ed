# SPDX-License-Identifier: GPL-3.0-or-later
"""How the custom resource of each kind of service asks for devices. Loaded by those alone who set them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..kube.manifest import Json
from ..kube.problem import Problem
from .inference_service import device_fields as inference_service
from .inference_service import spec as inference_service_spec
from .model_service import device_fields as model_service
from .model_service import spec as model_service_spec
from .wish import Served, Wish


@dataclass(frozen=True, slots=True)
class DeviceFields:
    """How one kind asks for devices.

    roles: fields below `spec` that ask separately.
    put: the part of `spec` that is applied for what is wanted. taken_back: what is still applied of it afterwards.
    problems: what is wanted and cannot be said there. shown: the fields concerned of a version of `spec`, for a role.
    field_of: the fields that decide what a child asks for, by the names of service and child.
    """

    api_version: str
    roles: tuple[str, ...]
    put: Callable[[Wish, Served], Json]
    taken_back: Callable[[Served], Json]
    problems: Callable[[Wish, Served], Iterable[Problem]]
    shown: Callable[[Json, str], Json]
    field_of: Callable[[str, str], str]


#: By kind.
DEVICE_FIELDS: Mapping[str, DeviceFields] = {
    model_service_spec.KIND: DeviceFields(
        model_service_spec.API_VERSION,
        model_service.ROLES,
        model_service.device_fields,
        lambda dummy: {},
        model_service.device_problems,
        model_service.shown_devices,
        model_service.device_field_of,
    ),
    inference_service_spec.KIND: DeviceFields(
        inference_service_spec.API_VERSION,
        inference_service.ROLES,
        inference_service.device_fields,
        inference_service.fields_kept,
        inference_service.device_problems,
        inference_service.shown_devices,
        inference_service.device_field_of,
    ),
}
