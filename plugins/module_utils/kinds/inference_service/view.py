# SPDX-License-Identifier: GPL-3.0-or-later
"""An InferenceService as checks see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reference import Reference
from ..field_map import FieldMap, Place
from ..kserve.framework import model_of
from ..kserve.knative.names import KNATIVE_API
from ..kserve.storage.credentials import credential_entries
from ..kserve.storage.initializer import NAME as INITIALIZER
from ..kserve.storage.s3 import secret_keys
from ..kserve.system_config import CONFIG_MAP
from ..route_view import Parent, RouteView, gateway_of, routes_of
from ..view import DECODE, EXPLAINER, TRANSFORMER, Said, ServiceView, Workload, port_said
from .field_map import field_map
from .implementations import CUSTOM, implementations, storage_uri
from .pods.annotations import SOURCE_URI
from .pods.component import Component
from .pods.containers import SERVER, WORKER
from .pods.storage.containers import fetched_otherwise
from .resolved import Resolved
from .spec import ROLES

_ROLES = {"predictor": DECODE, "transformer": TRANSFORMER, "explainer": EXPLAINER}
_FETCHED = ("gs://", "hf://", "s3://")
#: The server of these runtimes is known by their name; a mirror may call its image otherwise.
_RUNTIMES = ("kserve-huggingfaceserver",)


def view(resolved: Resolved, manifests: Sequence[Json]) -> ServiceView:
    """Return what a service became. manifests: its children."""
    made = {Reference.of(manifest): manifest for manifest in manifests}
    fields = field_map(resolved, manifests)
    service = resolved.service
    return ServiceView(
        reference=service.reference,
        document=service.document,
        workloads=tuple(
            workload
            for component in resolved.components.workloads
            for workload in _workloads(resolved, component, made, fields)
        ),
        made=manifests,
        models=tuple(_models(service.document)),
        calls=tuple(_calls(service.document)),
        fetched_otherwise=fetched_otherwise,
        routes=tuple(_routes(resolved, manifests)),
        s3_keys=secret_keys(resolved.config.credentials.s3),
        credentials=credential_entries(resolved.config.credentials, resolved.settings.release),
        secret_annotation=resolved.config.credentials.secret_annotation,
        ways={
            "trigger-parameter queryTime": "KServe writes none: use the backend prometheus",
        },
        field_map=fields,
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
    for number, canary in enumerate(document["spec"].get("canary") or ()):
        field, server = model_of(canary["predictor"])
        if server and server.get("storageUri"):
            where = f"spec.canary[{number}].predictor.{field}.storageUri"
            yield Said(server["storageUri"], where)


def _calls(document: Json) -> Iterator[Said]:
    """Yield the addresses of those who get what a component logs; one of several containers may be meant where there are some."""
    for role in ROLES:
        component = document["spec"].get(role) or {}
        logger = component.get("logger") or {}
        if logger.get("url") and len(component.get("containers") or ()) <= 1:
            yield Said(str(logger["url"]), f"spec.{role}.logger.url")


def _workloads(
    resolved: Resolved,
    component: Component,
    made: Mapping[Reference, Json],
    fields: FieldMap,
) -> Iterator[Workload]:
    workers = component.workers
    pods = 1 + workers.replicas if workers else 1
    for name, engine in ((component.name, SERVER), *([(workers.name, WORKER)] if workers else [])):
        reference, manifest = _made(name, resolved.service.namespace, made)
        if manifest is None:
            continue
        spec = manifest["spec"]
        template = spec["template"]
        of_pod = fields.of_pod(reference, "spec.template")
        fetched = component.annotations.get(SOURCE_URI, "").startswith(_FETCHED)
        yield Workload(
            role=_ROLES[component.role],
            reference=reference,
            origin=component.field,
            pod=template["spec"],
            fields=of_pod,
            labels=(template.get("metadata") or {}).get("labels") or {},
            engine=engine,
            fetcher=INITIALIZER if fetched and engine == SERVER else "",
            worker=engine == WORKER,
            replicas=spec.get("replicas"),
            replicas_field=f"{component.field}.minReplicas",
            pods_per_replica=pods,
            said={**port_said(template["spec"], engine, of_pod), **_said(component, resolved)},
        )


def _made(
    name: str, namespace: str, made: Mapping[Reference, Json]
) -> tuple[Reference, Json | None]:
    deployment = Reference(gvk.APPS, "Deployment", namespace, name)
    if deployment in made:
        return deployment, made[deployment]
    knative = Reference(KNATIVE_API, "Service", namespace, name)
    return knative, made.get(knative)


def _said(component: Component, resolved: Resolved) -> dict[str, Said]:
    workers = component.spec.get("workerSpec") or {}
    sizes = {"tensor": "tensorParallelSize", "pipeline": "pipelineParallelSize"}
    runtime = resolved.components.runtime
    server: dict[str, Said] = {}
    if runtime and component.role == "predictor" and runtime.name.startswith(_RUNTIMES):
        server["server"] = Said(runtime.name.removeprefix("kserve-"), "spec.predictor.model")
    return server | {
        meaning: Said(str(workers[field]), f"{component.field}.workerSpec.{field}")
        for meaning, field in sizes.items()
        if workers.get(field)
    }


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
