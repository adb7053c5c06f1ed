# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of an InferenceService's children are written: in the service, or in its runtime."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reference import Reference
from ..field_map import FieldMap, Origin
from ..kserve.framework import authors_field, model_of
from .children.services import service_ports
from .pods.component import Component
from .pods.containers import SERVER, TRANSFORMER, WORKER
from .resolved import Resolved

_TEMPLATE = "spec.template"
_POD = f"{_TEMPLATE}.spec"
_TEXTS = ("labels", "annotations")


def field_map(resolved: Resolved, manifests: Sequence[Json]) -> FieldMap:
    """Return the map of a service. manifests: its children."""
    return FieldMap(partial(_origins, resolved), manifests)


def _origins(resolved: Resolved, reference: Reference) -> list[Origin]:
    for component in resolved.components.workloads:
        if component.workers and reference.name == component.workers.name:
            return list(_of_workers(resolved, component))
        if reference.name == component.name:
            return list(_of_component(resolved, component, reference))
    return [Origin("", "metadata.name")] if reference.api_version == gvk.GATEWAY else []


def _of_component(
    resolved: Resolved, component: Component, reference: Reference
) -> Iterator[Origin]:
    role, spec = component.field, component.spec
    if reference.kind == "HTTPRoute":
        yield Origin("spec.rules", f"{role}.timeout", spec.get("timeout"))
        yield Origin("", "metadata.name")
    elif reference.api_version == gvk.AUTOSCALING:
        yield from _of_autoscaler(role, spec)
    elif reference.api_version == gvk.KEDA:
        metrics = f"{role}.autoScaling.metrics"
        yield Origin("spec.triggers", metrics if spec.get("autoScaling") else role)
        yield Origin("", role)
    elif reference.api_version == "v1":
        yield _ports(resolved, component)
        yield Origin("", role)
    else:
        yield from _of_pods(resolved, component)


def _of_pods(resolved: Resolved, component: Component) -> Iterator[Origin]:
    if component.canary:
        yield from _of_author(resolved, component.field, component.canary.written)
        yield from _of_author(resolved, "spec.predictor", resolved.service.spec["predictor"])
    else:
        yield from _of_author(resolved, component.field, component.spec)
    runtime = resolved.components.runtime
    if component.role == "predictor" and runtime is not None:
        yield Origin(_POD, "spec", runtime.spec, str(runtime))
        for texts in _TEXTS:
            child = f"{_TEMPLATE}.metadata.{texts}"
            yield Origin(child, f"spec.{texts}", runtime.spec.get(texts), str(runtime))


def _of_author(resolved: Resolved, role: str, spec: Json) -> Iterator[Origin]:
    """Yield what a component says of its pods. role: where it stands."""
    yield from _texts(resolved, role, spec)
    yield Origin("spec.replicas", f"{role}.minReplicas", spec.get("minReplicas"))
    yield Origin("spec.strategy", f"{role}.deploymentStrategy", spec.get("deploymentStrategy"))
    name, model = model_of(spec)
    if model is not None:
        field = authors_field(f"{role}.{name}", resolved.service.document)
        yield Origin(f"{_POD}.containers[{SERVER}]", field, model)
    elif len(own := list(spec.get("containers") or ())) == 1:
        yield Origin(f"{_POD}.containers[{SERVER}]", f"{role}.containers[0]", own[0])
    yield Origin(_POD, role, spec)


def _of_workers(resolved: Resolved, component: Component) -> Iterator[Origin]:
    role = f"spec.{component.role}"
    field, own = f"{role}.workerSpec", component.spec.get("workerSpec") or {}
    yield from _texts(resolved, role, component.spec)
    containers = own.get("containers") or ()
    if containers:
        yield Origin(f"{_POD}.containers[{WORKER}]", f"{field}.containers[0]", containers[0])
    yield Origin(_POD, field, own)
    runtime = resolved.components.runtime
    part = runtime.spec.get("workerSpec") if runtime else None
    if runtime is not None and part is not None:
        yield Origin(_POD, "spec.workerSpec", part, str(runtime))


def _texts(resolved: Resolved, role: str, spec: Json) -> Iterator[Origin]:
    """Yield where labels and annotations come from, of the workload and of its pods."""
    service: dict[str, Any] = {
        "labels": resolved.service.labels,
        "annotations": resolved.service.annotations,
    }
    for texts in _TEXTS:
        for child in (f"metadata.{texts}", f"{_TEMPLATE}.metadata.{texts}"):
            yield Origin(child, f"{role}.{texts}", spec.get(texts))
            yield Origin(child, f"metadata.{texts}", service[texts])


def _of_autoscaler(role: str, spec: Json) -> Iterator[Origin]:
    for field in ("minReplicas", "maxReplicas"):
        yield Origin(f"spec.{field}", f"{role}.{field}", spec.get(field))
    scaling = spec.get("autoScaling")
    if scaling is None:
        yield Origin("spec.metrics", f"{role}.scaleTarget")
    else:
        yield Origin("spec.metrics", f"{role}.autoScaling.metrics", scaling.get("metrics"))
    yield Origin("", role)


def _ports(resolved: Resolved, component: Component) -> Origin:
    """Return where the ports of a Service are written: those of the container that takes requests."""
    role, spec, ports = f"spec.{component.role}", component.spec, service_ports(component)
    containers = component.pod.get("containers") or [{}]
    names = [str(each.get("name")) for each in containers]
    name = TRANSFORMER if TRANSFORMER in names else names[0]
    for number, container in enumerate(spec.get("containers") or ()):
        if container.get("name") == name and container.get("ports"):
            return Origin("spec.ports", f"{role}.containers[{number}].ports", ports)
    model = spec.get("model") or {}
    runtime = resolved.components.runtime
    if runtime is not None and component.role == "predictor" and not model.get("ports"):
        for number, container in enumerate(runtime.spec.get("containers") or ()):
            if container.get("name") == name:
                field = f"spec.containers[{number}].ports"
                return Origin("spec.ports", field, ports, str(runtime))
    field = f"{role}.model.ports" if model else f"{role}.containers[0].ports"
    field = authors_field(field, resolved.service.document)
    return Origin("spec.ports", field, ports)
