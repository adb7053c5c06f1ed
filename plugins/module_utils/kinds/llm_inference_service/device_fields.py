# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of an LLMInferenceService mean devices, for those who set nothing else of it.

The pods that decode are those of `spec` itself, the others those of `spec.prefill`. Templates and workers get the devices in the container
that serves, which presets call as the controller does; templates of presets read the sizes of `parallelism`.
Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go, pkg/controller/v1alpha2/llmisvc/workload_multi_node.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...accelerators.devices import Parallelism
from ...accelerators.pod_fields import PodFields, placed
from ...kube.manifest import Json
from ...kube.problem import Problem
from ..device_request import DeviceRequest, LiveService
from . import names

#: The role of a service → where it is in the custom resource.
PLACES = {"decode": ("spec",), "prefill": ("spec", "prefill")}
ROLES = tuple(PLACES)
#: The container that serves, in all presets.
_SERVER = "main"
_TEMPLATE, _WORKER = "template", "worker"


def device_fields(wish: DeviceRequest, service: LiveService) -> Json:
    """Return the part of `spec` that makes the pods of a role ask for devices and go where they are."""
    fields: Json = {"parallelism": _sizes(wish.parallelism, groups=_has_groups(service))}
    for name in _pods(service):
        pod = _fields(service, name).with_devices(wish.placement)
        server = {"name": _SERVER, "resources": wish.placement.resources}
        fields[name] = {**pod, "containers": [server]}
    return _placed(service, fields)


def fields_kept(service: LiveService) -> Json:
    """Return what is still applied of `spec` when the devices are taken back: what others want of nodes."""
    kept = {}
    for name in _pods(service):
        resources = _server(service.part.get(name) or {}).get("resources") or {}
        pod = _fields(service, name).without_devices(resources.get("limits") or {})
        if pod:
            kept[name] = pod
    return _placed(service, kept) if kept else {}


def fields_of_others(applied: Json, role: str) -> Json:
    """Return what the other role has of fields that were applied."""
    of_prefill = role != "prefill"
    return {name: part for name, part in applied.items() if (name == "prefill") is of_prefill}


def shown_devices(spec: Json, role: str) -> Json:
    """Return the fields of a version of `spec` that mean devices."""
    part = spec.get(role) or {} if role == "prefill" else spec
    shown: Json = {}
    if part.get("parallelism"):
        shown["parallelism"] = part["parallelism"]
    for name in (_TEMPLATE, _WORKER):
        pod = part.get(name) or {}
        resources = _server(pod).get("resources")
        found = {**placed(pod), **({"resources": resources} if resources else {})}
        if found:
            shown[name] = found
    return {role: shown}


def device_problems(wish: DeviceRequest, service: LiveService) -> Iterator[Problem]:
    """Yield what is wanted and cannot be said in an LLMInferenceService."""
    parallelism = wish.parallelism
    if wish.accelerator.device_class:
        text = (
            "device claims are only for state rendered: put them into the template of the service"
        )
        yield Problem("accelerator.device_class", text, rule="accelerator")
    if parallelism.pipeline > 1 and parallelism.data > 1:
        text = f"pipeline {parallelism.pipeline} and data {parallelism.data} exclude each other in an LLMInferenceService"
        yield Problem("parallelism", text, rule="parallelism")
        return
    worker = ".".join((*PLACES[service.role], _WORKER))
    size = _group_size(parallelism) if _has_groups(service) else 1
    if wish.pods == size:
        return
    if not _has_groups(service):
        text = f"each replica needs {wish.pods} pods, but without {worker} it has one; set {worker} in the service first"
        yield Problem("parallelism", text, rule="parallelism")
    else:
        text = (
            f"each replica needs {wish.pods} pods, but a group with {worker} has {size}: one for each pipeline stage, "
            "or for each data_local of data; give accelerator.devices_per_node, or other sizes"
        )
        yield Problem("parallelism", text, rule="parallelism")


def device_field_of(service: str, workload: str) -> str:
    """Return the fields that say what a service's workload asks for, empty where it asks for no devices."""
    pods = f"containers[{_SERVER}].resources"
    return {
        names.main(service): f"spec.{_TEMPLATE}.{pods}",
        names.prefill(service): f"spec.prefill.{_TEMPLATE}.{pods}",
        names.multi_node(service): f"{pods} of spec.{_TEMPLATE} and spec.{_WORKER}",
        names.multi_node_prefill(
            service
        ): f"{pods} of spec.prefill.{_TEMPLATE} and spec.prefill.{_WORKER}",
    }.get(workload, "")


def _sizes(parallelism: Parallelism, *, groups: bool) -> Json:
    """Return the sizes that are said: those of a group have to be, else one node is meant where nothing is said."""
    sizes = {"tensor": parallelism.tensor}
    if parallelism.pipeline > 1:
        sizes["pipeline"] = parallelism.pipeline
    elif groups or parallelism.data > 1:
        sizes |= {"data": parallelism.data, "dataLocal": parallelism.ranks_in_pod}
    return sizes


def _group_size(parallelism: Parallelism) -> int:
    if parallelism.pipeline > 1:
        return parallelism.pipeline
    return parallelism.data // parallelism.ranks_in_pod


def _has_groups(service: LiveService) -> bool:
    return service.part.get(_WORKER) is not None


def _pods(service: LiveService) -> tuple[str, ...]:
    """Return the fields with pods that serve: the template is there in presets, the worker only where the service has one."""
    return (_TEMPLATE, _WORKER) if _has_groups(service) else (_TEMPLATE,)


def _fields(service: LiveService, name: str) -> PodFields:
    return PodFields((*PLACES[service.role], name), service.part.get(name) or {}, service.held)


def _server(pod: Json) -> Json:
    found = (each for each in pod.get("containers") or () if each.get("name") == _SERVER)
    return next(found, {})


def _placed(service: LiveService, fields: Json) -> Json:
    return {"prefill": fields} if service.role == "prefill" else fields
