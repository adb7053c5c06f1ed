# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of an LLMInferenceService's children are written: in the service, or in one of its presets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ...kube import gvk
from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from ...kube.schema_check import child_path
from ..field_map import FieldMap, Origin
from . import names
from .artifacts.adapters import LIMITS
from .artifacts.kv_cache import volume_name
from .managed_devices import DEVICE_CLASS, REQUEST, SELECTORS
from .pod import MAIN
from .resolved import Resolved
from .tracing import ENDPOINT

#: A part of a child, and the path to what it is made of.
_Part = tuple[str, tuple[str, ...]]
_GROUP = "spec.leaderWorkerTemplate"
_POD, _METADATA = "spec.template.spec", "spec.template.metadata"
_TEXTS = ("labels", "annotations")
#: The pod templates of workloads, each with the field that describes it.
_TEMPLATES: Mapping[str, Mapping[str, str]] = {
    "Deployment": {"spec.template": "template"},
    "LeaderWorkerSet": {
        f"{_GROUP}.leaderTemplate": "template",
        f"{_GROUP}.workerTemplate": "worker",
    },
}


def field_map(resolved: Resolved, manifests: Sequence[Json]) -> FieldMap:
    """Return the map of a service. manifests: its children."""
    return FieldMap(partial(_origins, resolved), manifests)


def _origins(resolved: Resolved, reference: Reference) -> list[Origin]:
    found = [
        origin
        for child, path in _parts(resolved.name, reference)
        for origin in _written(resolved, child, path)
    ]
    if reference.kind in _TEMPLATES:
        found += _tracing(resolved, _TEMPLATES[reference.kind])
    if reference.kind == "HTTPRoute":
        found += _gateways(resolved)
    elif reference.kind == "ResourceClaimTemplate":
        found += _asked_by_annotations()
    elif reference.kind in _TEMPLATES and reference.name not in (
        names.picker(resolved.name),
        names.tokenizer(resolved.name),
    ):
        found += _adapters(resolved, _TEMPLATES[reference.kind])
        found += _tiers(resolved, reference)
    return found


def _gateways(resolved: Resolved) -> Iterator[Origin]:
    """Yield where the parents of a managed route are written that come from gateway refs. What a ref leaves out is an empty text there."""
    for origin in _written(resolved, "spec.parentRefs", ("router", "gateway", "refs")):
        for number, ref in enumerate(origin.value or ()):
            value = {"name": "", "namespace": "", **ref}
            child, field = f"{origin.child}[{value['name']}]", f"{origin.field}[{number}]"
            yield Origin(child, field, value, origin.object)


def _asked_by_annotations() -> Iterator[Origin]:
    """Yield which annotations say what a claim of devices asks for."""
    request = f"spec.spec.devices.requests[{REQUEST}]"
    yield Origin("spec", child_path("metadata.annotations", DEVICE_CLASS))
    yield Origin(f"{request}.exactly.selectors", child_path("metadata.annotations", SELECTORS))


def _tracing(resolved: Resolved, templates: Mapping[str, str]) -> Iterator[Origin]:
    """Yield where the address of traces is written, which engines and picker get as a variable."""
    for origin in _written(resolved, "", ("tracing", "exporterEndpoint")):
        if origin.value:
            variable = {"name": ENDPOINT, "value": origin.value}
            for template in templates:
                child = f"{template}.spec.containers[{MAIN}].env[{ENDPOINT}]"
                yield Origin(child, origin.field, variable, origin.object)


def _tiers(resolved: Resolved, reference: Reference) -> Iterator[Origin]:
    """Yield where the volumes are written that hold what does not fit into the memory for an engine's cache."""
    prefill = reference.name in (
        names.prefill(resolved.name),
        names.multi_node_prefill(resolved.name),
    )
    path = (*(("prefill",) if prefill else ()), "kvCacheOffloading", "secondary")
    for origin in _written(resolved, "", path):
        for number, tier in enumerate(origin.value or ()):
            size = value_at(tier, ("fileSystem", "emptyDir", "size"))
            claim = value_at(tier, ("fileSystem", "pvc", "spec"))
            field = f"{origin.field}[{number}].fileSystem"
            for template in _TEMPLATES[reference.kind]:
                volume = f"{template}.spec.volumes[{volume_name(number)}]"
                if size is not None:
                    child = f"{volume}.emptyDir.sizeLimit"
                    yield Origin(child, f"{field}.emptyDir.size", size, origin.object)
                    # The engine's container asks its node for as much as all tiers have.
                    asked = (
                        f"{template}.spec.containers[{MAIN}].resources.requests.ephemeral-storage"
                    )
                    yield Origin(asked, f"{field}.emptyDir.size", None, origin.object)
                if claim is not None:
                    child = f"{volume}.ephemeral.volumeClaimTemplate.spec"
                    yield Origin(child, f"{field}.pvc.spec", claim, origin.object)


def _adapters(resolved: Resolved, templates: Mapping[str, str]) -> Iterator[Origin]:
    """Yield where the flags and volumes of adapters are written, which the controller makes of `model.lora`."""
    for origin in _written(resolved, "", ("model", "lora")):
        lora = origin.value or {}
        for pod in (f"{template}.spec" for template in templates):
            for field, flag in LIMITS.items():
                word = f"{flag}={lora.get(field)}"
                child = f"{pod}.containers[{MAIN}].args[{word}]"
                yield Origin(child, f"{origin.field}.{field}", word, origin.object)
            for number, adapter in enumerate(lora.get("adapters") or ()):
                volume = names.adapter_volume(str((adapter or {}).get("name") or ""))
                child = f"{pod}.volumes[{volume}]"
                field = f"{origin.field}.adapters[{number}].uri"
                yield Origin(child, field, object=origin.object)


def _parts(service: str, reference: Reference) -> Iterator[_Part]:
    """Yield what the parts of a child are made of."""
    kind, name = reference.kind, reference.name
    if kind == "Deployment" and name == names.picker(service):
        yield _POD, ("router", "scheduler", "template")
        yield "spec.replicas", ("router", "scheduler", "replicas")
    elif kind == "Deployment" and name == names.tokenizer(service):
        yield _POD, ("router", "scheduler", "tokenizer", "template")
    elif kind in ("Deployment", "LeaderWorkerSet"):
        prefill = name in (names.prefill(service), names.multi_node_prefill(service))
        yield from _of_pods(kind, ("prefill",) if prefill else ())
    elif kind == "HTTPRoute":
        yield "spec", ("router", "route", "http", "spec")
    elif reference.api_version == gvk.AUTOSCALING:
        scaling = _scaling(prefill=name == names.prefill_pod_autoscaler(service))
        for field in ("minReplicas", "maxReplicas"):
            yield f"spec.{field}", (*scaling, field)
        yield "spec.behavior", (*scaling, "wva", "hpa", "behavior")
        yield "", scaling
    elif reference.api_version == gvk.KEDA:
        scaling = _scaling(prefill=name == names.prefill_scaled_object(service))
        for counted, field in (
            ("minReplicaCount", "minReplicas"),
            ("maxReplicaCount", "maxReplicas"),
        ):
            yield f"spec.{counted}", (*scaling, field)
        for means in (("keda",), ("wva", "keda")):
            yield "spec", (*scaling, *means)


def _scaling(*, prefill: bool) -> tuple[str, ...]:
    return (*(("prefill",) if prefill else ()), "scaling")


def _of_pods(kind: str, where: tuple[str, ...]) -> Iterator[_Part]:
    yield "spec.replicas", (*where, "replicas")
    for child, field in _TEMPLATES[kind].items():
        yield f"{child}.spec", (*where, field)
        for texts in _TEXTS:
            yield f"{child}.metadata.{texts}", (*where, texts)
            if where:
                yield f"{child}.metadata.{texts}", (texts,)
    for texts in _TEXTS:
        yield f"metadata.{texts}", (*where, texts)


def _written(resolved: Resolved, child: str, path: tuple[str, ...]) -> Iterator[Origin]:
    """Yield where a part may be written: in the service, then in its presets, the strongest first."""
    field = ".".join(("spec", *path))
    yield Origin(child, field, value_at(resolved.service.spec, path))
    for preset in reversed(resolved.presets):
        value = value_at(preset.spec, path)
        if value is not None:
            yield Origin(child, field, value, preset.name)
