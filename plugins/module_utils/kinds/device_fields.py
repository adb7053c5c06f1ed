# SPDX-License-Identifier: GPL-3.0-or-later
"""How the custom resource of each kind of service asks for devices. Loaded by those alone who set them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..kube.manifest import FieldPath, Json
from ..kube.problem import Problem
from .device_request import DeviceRequest, LiveService
from .inference_service import device_fields as inference_service
from .inference_service import spec as inference_service_spec
from .llm_inference_service import device_fields as llm_inference_service
from .llm_inference_service import spec as llm_inference_service_spec
from .model_service import device_fields as model_service
from .model_service import spec as model_service_spec


@dataclass(frozen=True, slots=True)
class DeviceFields:
    """How one kind asks for devices.

    roles: of pods that ask separately. place: where such a role is in the custom resource.
    put: the part of `spec` that is applied for what is wanted. taken_back: what is still applied of it afterwards.
    of_others: what other roles have of a `spec` that we have applied, so that it is applied once more.
    problems: what is wanted and cannot be said there. shown: the fields concerned of a version of `spec`, for a role.
    field_of: the fields that decide what a child asks for, by the names of service and child.
    """

    api_version: str
    roles: tuple[str, ...]
    place: Callable[[str], FieldPath]
    put: Callable[[DeviceRequest, LiveService], Json]
    taken_back: Callable[[LiveService], Json]
    of_others: Callable[[Json, str], Json]
    problems: Callable[[DeviceRequest, LiveService], Iterable[Problem]]
    shown: Callable[[Json, str], Json]
    field_of: Callable[[str, str], str]


def _below_spec(role: str) -> FieldPath:
    return ("spec", role)


#: By kind.
DEVICE_FIELDS: Mapping[str, DeviceFields] = {
    model_service_spec.KIND: DeviceFields(
        model_service_spec.API_VERSION,
        model_service.ROLES,
        _below_spec,
        model_service.device_fields,
        lambda dummy: {},
        model_service.fields_of_others,
        model_service.device_problems,
        model_service.shown_devices,
        model_service.device_field_of,
    ),
    inference_service_spec.KIND: DeviceFields(
        inference_service_spec.API_VERSION,
        inference_service.ROLES,
        _below_spec,
        inference_service.device_fields,
        inference_service.fields_kept,
        lambda dummy, dummy_role: {},
        inference_service.device_problems,
        inference_service.shown_devices,
        inference_service.device_field_of,
    ),
    llm_inference_service_spec.KIND: DeviceFields(
        llm_inference_service_spec.API_VERSION,
        llm_inference_service.ROLES,
        llm_inference_service.PLACES.__getitem__,
        llm_inference_service.device_fields,
        llm_inference_service.fields_kept,
        llm_inference_service.fields_of_others,
        llm_inference_service.device_problems,
        llm_inference_service.shown_devices,
        llm_inference_service.device_field_of,
    ),
}
