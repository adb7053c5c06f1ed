# SPDX-License-Identifier: GPL-3.0-or-later
"""An LLMInferenceService as checks see it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from ...kube import gvk
from ...kube.command_line import flags
from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from ..engine_flags import MEANINGS
from ..field_map import FieldMap, Place
from ..kserve.pod import container_of
from ..kserve.storage.credentials import credential_entries
from ..kserve.storage.initializer import NAME as INITIALIZER
from ..kserve.storage.s3 import secret_keys
from ..route_view import Parent, RouteView, routes_of
from ..view import (
    DECODE,
    PICKER,
    PREFILL,
    TOKENIZER,
    PickerView,
    Said,
    ServiceView,
    Workload,
    group_size,
    port_said,
    templates_of,
)
from . import names
from .certificate.request import secret_reference
from .children.picker_config import PICKER_TARGET, given_config
from .children.picker_rewrites import configuration_in
from .field_map import field_map
from .pod import MAIN, SIDECAR, has_sidecar
from .resolved import Resolved
from .router.kinds import GATEWAY_API, POOL_API, parent_gateway

_SIZES = {
    "tensor": "tensor",
    "pipeline": "pipeline",
    "data": "data",
    "dataLocal": "data_local",
}
#: By these the pods of a group are counted.
_OF_GROUPS = ("pipeline", "data", "dataLocal")
_PICKER = "spec.router.scheduler"
_SCHEDULER = ("router", "scheduler")
_REFERENCE = ("router", "scheduler", "config", "ref")
#: What every preset of KServe and of the collection starts, and the release of it in the image of the oldest of them.
_ENGINE, _RELEASE = "vLLM", "0.11"


def view(resolved: Resolved, manifests: Sequence[Json]) -> ServiceView:
    """Return what a service became. manifests: its children."""
    made = {Reference.of(manifest): manifest for manifest in manifests}
    fields = field_map(resolved, manifests)
    workloads = list(_workloads(resolved, made, fields))
    picker = _picker(resolved, made, fields)
    return ServiceView(
        reference=resolved.service.reference,
        document=resolved.service.document,
        workloads=(
            *workloads,
            *([picker.workload] if picker else []),
            *_tokenizer(resolved, made, fields),
        ),
        made=manifests,
        own=(secret_reference(resolved),),
        models=tuple(_models(resolved, workloads)),
        sizes=tuple(_sizes(resolved)),
        routes=tuple(_routes(resolved, manifests)),
        picker=picker,
        sender=_sender(resolved),
        refers=tuple(_refers(resolved)),
        s3_keys=secret_keys(resolved.config.credentials.s3),
        credentials=credential_entries(resolved.config.credentials, resolved.settings.release),
        secret_annotation=resolved.config.credentials.secret_annotation,
        field_map=fields,
        basis=resolved,
    )


def _models(resolved: Resolved, workloads: Sequence[Workload]) -> Iterator[Said]:
    """Yield the addresses of models that somebody brings into the pods."""
    if resolved.at("storageInitializer", "enabled") is False:
        return
    yield Said(str(resolved.at("model", "uri") or ""), "spec.model.uri")
    fetched = {
        str(word)
        for workload in workloads
        for container in workload.pod.get("initContainers") or ()
        for word in container.get("args") or ()
    }
    for number, adapter in enumerate(resolved.at("model", "lora", "adapters") or ()):
        uri = str((adapter or {}).get("uri") or "")
        if uri in fetched:
            yield Said(uri, f"spec.model.lora.adapters[{number}].uri")


def _sizes(resolved: Resolved) -> Iterator[Said]:
    """Yield the memory that engines have for their cache, which they are told in other units."""
    for where in ((), ("prefill",)):
        size = value_at(resolved.service.spec, (*where, "kvCacheOffloading", "cpu"))
        if size is not None:
            yield Said(str(size), ".".join(("spec", *where, "kvCacheOffloading.cpu")))


def _workloads(
    resolved: Resolved, made: Mapping[Reference, Json], fields: FieldMap
) -> Iterator[Workload]:
    name, namespace = resolved.name, resolved.namespace
    group = gvk.LEADER_WORKER_SET
    for role, called, api_version, kind in (
        (DECODE, names.main(name), gvk.APPS, "Deployment"),
        (DECODE, names.multi_node(name), group, "LeaderWorkerSet"),
        (PREFILL, names.prefill(name), gvk.APPS, "Deployment"),
        (PREFILL, names.multi_node_prefill(name), group, "LeaderWorkerSet"),
    ):
        reference = Reference(api_version, kind, namespace, called)
        manifest = made.get(reference)
        if manifest is not None:
            yield from _parts(resolved, role, reference, manifest, fields)


def _parts(
    resolved: Resolved, role: str, reference: Reference, manifest: Json, fields: FieldMap
) -> Iterator[Workload]:
    """Yield the pods of a workload: of a group its leader and its workers."""
    where = () if role == DECODE else ("prefill",)
    for path, template in templates_of(manifest):
        field = "worker" if path.endswith("workerTemplate") else "template"
        pod = template.get("spec") or {}
        place = ".".join(("spec", *where, field))
        of_pod = fields.of_pod(reference, path)
        yield Workload(
            role=role,
            reference=reference,
            origin=place,
            pod=pod,
            fields=of_pod,
            labels=(template.get("metadata") or {}).get("labels") or {},
            engine=MAIN,
            fetcher=INITIALIZER if container_of(pod, INITIALIZER, "initContainers") else "",
            sidecar=SIDECAR if has_sidecar(pod) else "",
            worker=field == "worker",
            replicas=(manifest.get("spec") or {}).get("replicas"),
            replicas_field=".".join(("spec", *where, "replicas")),
            pods_per_replica=group_size(manifest),
            said={**port_said(pod, MAIN, of_pod), **_said(resolved, where, pod)},
            usual_engine=_ENGINE,
            usual_release=_RELEASE,
        )


def _said(resolved: Resolved, where: tuple[str, ...], pod: Json) -> dict[str, Said]:
    sizes = resolved.at(*where, "parallelism") or {}
    field = ".".join(("spec", *where, "parallelism"))
    said = {
        meaning: Said(str(sizes[name]), f"{field}.{name}")
        for name, meaning in _SIZES.items()
        if isinstance(sizes.get(name), int) and sizes[name] > 0
        if _is_passed_on(resolved, where, name, pod)
    }
    name = resolved.at("model", "name")
    return {**said, "model_name": Said(str(name), "spec.model.name")} if name else said


def _is_passed_on(resolved: Resolved, where: tuple[str, ...], name: str, pod: Json) -> bool:
    """Tell whether a size shapes a group of pods or reaches the engine: a template reads it, or the command line has its flag."""
    if name in _OF_GROUPS and resolved.at(*where, "worker") is not None:
        return True
    path = ".".join(
        ("", "Spec", *map(str.capitalize, where), "Parallelism", name[:1].upper() + name[1:])
    )
    if any(path in json.dumps(preset.spec) for preset in resolved.presets):
        return True
    given = {flag for flag, dummy in flags(container_of(pod, MAIN) or {})}
    return any(MEANINGS.get(flag) == _SIZES[name] for flag in given)


def _sender(resolved: Resolved) -> Said:
    if resolved.at("router", "scheduler") is None:
        return Said("", "spec.router.scheduler")
    template = resolved.at("template")
    field = f"spec.template.initContainers[{SIDECAR}]"
    return Said(SIDECAR if has_sidecar(template) else "", field)


def _picker(
    resolved: Resolved, made: Mapping[Reference, Json], fields: FieldMap
) -> PickerView | None:
    called = names.picker(resolved.name)
    reference = Reference(gvk.APPS, "Deployment", resolved.namespace, called)
    manifest = made.get(reference)
    if manifest is None:
        return None
    template = manifest["spec"]["template"]
    replicas = resolved.at("router", "scheduler", "replicas")
    pod = template.get("spec") or {}
    workload = Workload(
        role=PICKER,
        reference=reference,
        origin=_PICKER,
        pod=pod,
        fields=fields.of_pod(reference, "spec.template"),
        labels=(template.get("metadata") or {}).get("labels") or {},
        replicas=replicas,
        replicas_field=f"{_PICKER}.replicas",
    )
    pool = resolved.at("router", "scheduler", "pool", "spec") or {}
    return PickerView(
        workload,
        names.inference_pool(resolved.name),
        *_configuration(resolved, pod),
        PICKER_TARGET.at(resolved.settings.release),
        f"{_PICKER}.replicas",
        value_at(pool, ("endpointPickerRef", "failureMode")) or "FailClose",
    )


def _tokenizer(
    resolved: Resolved, made: Mapping[Reference, Json], fields: FieldMap
) -> Iterator[Workload]:
    """Yield the pods that count tokens for the picker, where there are some."""
    called = names.tokenizer(resolved.name)
    reference = Reference(gvk.APPS, "Deployment", resolved.namespace, called)
    manifest = made.get(reference)
    if manifest is not None:
        template = manifest["spec"]["template"]
        pod = template["spec"]
        yield Workload(
            role=TOKENIZER,
            reference=reference,
            origin=f"{_PICKER}.tokenizer",
            pod=pod,
            fields=fields.of_pod(reference, "spec.template"),
            labels=template["metadata"]["labels"],
            fetcher=INITIALIZER if container_of(pod, INITIALIZER, "initContainers") else "",
            replicas=manifest["spec"]["replicas"],
        )


def _configuration(resolved: Resolved, pod: Json) -> tuple[str | None, Place]:
    """Return what the picker starts with, and where it is: what KServe makes of the author's configuration, or the author's arguments.

    None where there is none of the author's.
    """
    spec, release = resolved.service.spec, resolved.settings.release
    field = Place(f"{_PICKER}.config{'.ref' if value_at(spec, _REFERENCE) else ''}")
    main = container_of(pod, MAIN)
    if main is not None and given_config(resolved) is not None:
        return configuration_in(main.get("args") or (), release), field
    for number, own in enumerate(value_at(spec, (*_SCHEDULER, "template", "containers")) or ()):
        text = configuration_in(own.get("args") or (), release) if own.get("name") == MAIN else None
        if text is not None:
            return text, Place(f"{_PICKER}.template.containers[{number}].args")
    return None, field


def _routes(resolved: Resolved, manifests: Sequence[Json]) -> Iterator[RouteView]:
    own = value_at(resolved.service.spec, ("router", "route", "http", "spec")) or {}

    def parent(ref: Json, number: int) -> Parent:
        field = (
            f"spec.router.route.http.spec.parentRefs[{number}]"
            if own.get("parentRefs")
            else "spec.router.gateway"
        )
        gateway = parent_gateway(ref, resolved.namespace)
        return Parent(gateway, ref.get("sectionName") or "", Place(field))

    field = "spec.router.route.http.spec" if own else "spec.router.route"
    yield from routes_of(manifests, Place(field), parent)


def _refers(resolved: Resolved) -> Iterator[tuple[Reference, Place]]:
    """Yield the objects that a service uses and that somebody else makes."""
    if resolved.pool_ref:
        pool = Reference(POOL_API, "InferencePool", resolved.namespace, resolved.pool_ref)
        yield pool, Place(f"{_PICKER}.pool.ref.name")
    for number, ref in enumerate(resolved.at("router", "route", "http", "refs") or ()):
        route = Reference(GATEWAY_API, "HTTPRoute", resolved.namespace, ref.get("name") or "")
        yield route, Place(f"spec.router.route.http.refs[{number}].name")
