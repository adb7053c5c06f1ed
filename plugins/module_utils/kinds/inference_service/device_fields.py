# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of an InferenceService mean devices, for those who set nothing else of it.

Containers are a list that is one value to the server, so that only the server of a model can be told what to ask for.
Source: serving.kserve.io/v1beta1 of KServe v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...accelerators.pod_fields import PodFields, placed
from ...kube.manifest import Json
from ...kube.problem import Problem
from ..device_request import DeviceRequest, LiveService
from ..kserve.framework import model_of
from . import names
from .implementations import CUSTOM

ROLES = ("predictor",)
_WORKERS = "workerSpec"
#: Child of a service → the field that decides what it asks for.
_FIELDS = {
    "predictor": "spec.predictor.model.resources",
    "transformer": "spec.transformer.containers",
    "explainer": "spec.explainer.containers",
}


def device_fields(wish: DeviceRequest, service: LiveService) -> Json:
    """Return the part of `spec` that makes the pods of a predictor ask for devices and go where they are."""
    fields = {
        **_pods(service).with_devices(wish.placement),
        _server(service.part): {"resources": wish.placement.resources},
    }
    if service.part.get(_WORKERS) is not None:
        fields[_WORKERS] = {
            "pipelineParallelSize": wish.parallelism.pipeline,
            "tensorParallelSize": wish.parallelism.tensor,
        }
    return {service.role: fields}


def fields_kept(service: LiveService) -> Json:
    """Return what is still applied of `spec` when the devices are taken back: what others want of nodes."""
    resources = (service.part.get(_server(service.part)) or {}).get("resources") or {}
    kept = _pods(service).without_devices(resources.get("limits") or {})
    return {service.role: kept} if kept else {}


def shown_devices(spec: Json, role: str) -> Json:
    """Return the fields of a version of `spec` that mean devices."""
    part = spec.get(role) or {}
    server, workers = _server(part), part.get(_WORKERS) or {}
    sizes = {key: value for key, value in workers.items() if key.endswith("ParallelSize")}
    resources = (part.get(server) or {}).get("resources")
    shown = {
        **placed(part),
        **({server: {"resources": resources}} if resources else {}),
        **({_WORKERS: sizes} if sizes else {}),
    }
    return {role: shown}


def device_problems(wish: DeviceRequest, service: LiveService) -> Iterator[Problem]:
    """Yield what is wanted and cannot be said in an InferenceService."""
    if _server(service.part) == CUSTOM:
        text = "has no model: set resources in its containers, a list that only its author can write as a whole"
        yield Problem(f"spec.{service.role}", text, rule="devices")
    if wish.accelerator.device_class:
        text = "an InferenceService has no field for claims of only its model's server; request a resource"
        yield Problem("accelerator.device_class", text, rule="accelerator")
    pipeline, workers = wish.parallelism.pipeline, service.part.get(_WORKERS) is not None
    if pipeline > 1 and not workers:
        text = f"{pipeline}: a predictor without {_WORKERS} has one node; set spec.predictor.{_WORKERS} in the service first"
        yield Problem("parallelism.pipeline", text, rule="parallelism")
    if workers and wish.devices > 1:
        text = (
            f"each pod needs {wish.devices} devices, but the requests of workers are in spec.predictor.{_WORKERS}.containers, "
            "a list that only the author of the service can write as a whole; change it there"
        )
        yield Problem("devices", text, rule="devices")


def device_field_of(service: str, workload: str) -> str:
    """Return the fields that say what a service's workload asks for, empty where it asks for no devices."""
    if workload == names.workers(service):
        return f"spec.predictor.{_WORKERS}"
    return _FIELDS.get(workload.removeprefix(f"{service}-"), "")


def _server(predictor: Json) -> str:
    """Return the field of a predictor's model server; `containers` where there is none."""
    return model_of(predictor)[0] or CUSTOM


def _pods(service: LiveService) -> PodFields:
    return PodFields(("spec", service.role), service.part, service.held)
