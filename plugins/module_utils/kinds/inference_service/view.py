# SPDX-License-Identifier: GPL-3.0-or-later
"""An InferenceService as checks see it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reference import Reference
from ..field_map import Place
from ..kserve.pod import container_of
from ..kserve.storage.initializer import NAME as INITIALIZER
from ..kserve.storage.s3 import secret_keys
from ..kserve.system_config import CONFIG_MAP
from ..view import (
    DECODE,
    EXPLAINER,
    TRANSFORMER,
    Parent,
    RouteView,
    Said,
    ServiceView,
    Workload,
    gateway_of,
    port_said,
    routes_of,
)
from .field_map import field_map
from .framework import authors_field
from .implementations import CUSTOM, implementations, storage_uri
from .knative import KNATIVE_API
from .pods.annotations import SOURCE_URI
from .pods.component import Component
from .pods.containers import SERVER, WORKER
from .pods.storage.containers import fetched_otherwise
from .resolved import Resolved
from .spec import ROLES

_ROLES = {"predictor": DECODE, "transformer": TRANSFORMER, "explainer": EXPLAINER}
_FETCHED = ("hf://", "s3://")
_STEP = re.compile(r"containers\[(?P<number>[0-9]+)\]\.(?P<rest>.*)")
_ARGUMENT = re.compile(r"args\[(?P<number>[0-9]+)\]")


def view(resolved: Resolved, manifests: Sequence[Json]) -> ServiceView:
    """Return what a service became. manifests: its children."""
    made = {Reference.of(manifest): manifest for manifest in manifests}
    service = resolved.service
    return ServiceView(
        reference=service.reference,
        document=service.document,
        workloads=tuple(
            workload
            for component in resolved.components.items
            for workload in _workloads(resolved, component, made)
        ),
        made=manifests,
        models=tuple(_models(service.document)),
        fetched_otherwise=fetched_otherwise,
        routes=tuple(_routes(resolved, manifests)),
        s3_keys=secret_keys(resolved.config.credentials.s3),
        field_map=field_map(resolved, manifests),
        basis=resolved,
    )


def _models(document: Json) -> Iterator[Said]:
    """Yield the addresses of models, as the author writes them."""
    for role in ROLES:
        component = document["spec"].get(role) or {}
        for name in implementations(component, role)[:1]:
            uri = storage_uri(component, role)
            where = "containers" if name == CUSTOM else f"{name}.storageUri"
            yield Said(uri or "", f"spec.{role}.{where}")
        for number, item in enumerate(component.get("storageUris") or ()):
            yield Said(str(item.get("uri") or ""), f"spec.{role}.storageUris[{number}].uri")


def _workloads(
    resolved: Resolved, component: Component, made: Mapping[Reference, Json]
) -> Iterator[Workload]:
    workers = component.workers
    pods = 1 + workers.replicas if workers else 1
    for name, engine in ((component.name, SERVER), *([(workers.name, WORKER)] if workers else [])):
        reference, manifest = _made(name, resolved.service.namespace, made)
        if manifest is None:
            continue
        spec = manifest["spec"]
        template = spec["template"]
        fields = partial(_field, resolved, component, template["spec"])
        fetched = component.annotations.get(SOURCE_URI, "").startswith(_FETCHED)
        yield Workload(
            role=_ROLES[component.role],
            reference=reference,
            origin=f"spec.{component.role}",
            pod=template["spec"],
            fields=fields,
            labels=(template.get("metadata") or {}).get("labels") or {},
            engine=engine,
            fetcher=INITIALIZER if fetched and engine == SERVER else "",
            replicas=spec.get("replicas"),
            replicas_field=f"spec.{component.role}.minReplicas",
            pods_per_replica=pods,
            said={**port_said(template["spec"], engine, fields), **_said(component)},
        )


def _made(
    name: str, namespace: str, made: Mapping[Reference, Json]
) -> tuple[Reference, Json | None]:
    deployment = Reference(gvk.APPS, "Deployment", namespace, name)
    if deployment in made:
        return deployment, made[deployment]
    knative = Reference(KNATIVE_API, "Service", namespace, name)
    return knative, made.get(knative)


def _said(component: Component) -> dict[str, Said]:
    workers = component.spec.get("workerSpec") or {}
    sizes = {"tensor": "tensorParallelSize", "pipeline": "pipelineParallelSize"}
    return {
        meaning: Said(str(workers[field]), f"spec.{component.role}.workerSpec.{field}")
        for meaning, field in sizes.items()
        if workers.get(field)
    }


def _field(resolved: Resolved, component: Component, pod: Json, path: str) -> Place:
    """Return the author's field of a place in a pod, or the runtime that says it."""
    role = f"spec.{component.role}"
    step = _STEP.fullmatch(path)
    if step is None:
        return Place(role)
    name = pod["containers"][int(step["number"])].get("name")
    own = component.spec.get("containers") or ()
    model = component.spec.get("model")
    for number, container in enumerate(own):
        if container.get("name") == name or (len(own) == 1 and model is None):
            return Place(f"{role}.containers[{number}].{step['rest']}")
    runtime = resolved.components.runtime
    if runtime is None or model is None:
        return Place(role)
    field = authors_field(f"{role}.model", resolved.service.document)
    part = step["rest"].partition(".")[0].partition("[")[0]
    argument = _ARGUMENT.fullmatch(step["rest"])
    if name == SERVER and argument:
        of_runtime = container_of(runtime.spec, SERVER) or {}
        position = int(argument["number"]) - len(of_runtime.get("args") or ())
        if position >= 0:
            return Place(f"{field}.args[{position}]")
        return Place(f"{field}.args", str(runtime))
    if name == SERVER and model.get(part):
        return Place(f"{field}.{step['rest']}")
    return Place(field, str(runtime))


def _routes(resolved: Resolved, manifests: Sequence[Json]) -> Iterator[RouteView]:
    place = resolved.config.ingress.kserve_gateway
    absent = (
        f"Gateway {place}, which {CONFIG_MAP} names in ingress.kserveIngressGateway, does not exist, so the service is not "
        "reached from outside"
    )

    def parent(ref: Json, dummy: int) -> Parent:
        gateway = gateway_of(ref, resolved.service.namespace)
        return Parent(gateway, "", Place(""), absent)

    yield from routes_of(manifests, Place("metadata.name"), parent)
