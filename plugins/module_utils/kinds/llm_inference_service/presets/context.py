# SPDX-License-Identifier: GPL-3.0-or-later
"""What a preset's template can name: the service, its own spec before any merge, and a little of the configuration.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0. Secrets and credentials are left out there on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from ....kube.go_template.values import (
    BOOL,
    INT,
    OPEN,
    STRING,
    STRINGS,
    GoType,
    ListOf,
    PointerTo,
    Struct,
    StructOf,
)
from ....kube.manifest import Json, value_at
from ....kube.release import Since
from ...kserve.releases import KServe
from .. import names
from ..settings import Settings
from ..spec import LlmInferenceService
from ..system_config import SystemConfig

#: What is seen of the configuration beside gateway and namespace.
_CONFIGURED: Since[tuple[str, ...]] = Since(
    {
        KServe.V0_17: (),
        KServe.V0_18: ("EnableTLS",),
        KServe.V0_19: ("EnableTLS", "ModelBasedRoutingHeaderName"),
        KServe.V0_20: ("EnableTLS", "ModelBasedRoutingHeaderName", "InferencePoolNamespacedName"),
    }
)
_OPTIONAL = PointerTo(OPEN)
_NAMED = ListOf(OPEN)


def _struct(name: str, **fields: tuple[str, GoType]) -> StructOf:
    return StructOf(name, fields)


_PARALLELISM = _struct(
    "v1alpha2.ParallelismSpec",
    Tensor=("tensor", PointerTo(INT)),
    Pipeline=("pipeline", PointerTo(INT)),
    Data=("data", PointerTo(INT)),
    DataLocal=("dataLocal", PointerTo(INT)),
    DataRPCPort=("dataRPCPort", PointerTo(INT)),
    Expert=("expert", BOOL),
)
_SCALING = _struct(
    "v1alpha2.ScalingSpec",
    MinReplicas=("minReplicas", PointerTo(INT)),
    MaxReplicas=("maxReplicas", PointerTo(INT)),
    WVA=("wva", _OPTIONAL),
    KEDA=("keda", _OPTIONAL),
)
_WORKLOAD_FIELDS: dict[str, tuple[str, GoType]] = {
    "Replicas": ("replicas", PointerTo(INT)),
    "Scaling": ("scaling", PointerTo(_SCALING)),
    "Parallelism": ("parallelism", PointerTo(_PARALLELISM)),
    "Labels": ("labels", STRINGS),
    "Annotations": ("annotations", STRINGS),
    "Template": ("template", PointerTo(StructOf("v1.PodSpec", known=False))),
    "Worker": ("worker", PointerTo(StructOf("v1.PodSpec", known=False))),
    "KVCacheOffloading": ("kvCacheOffloading", _OPTIONAL),
    "RolloutStrategy": ("rolloutStrategy", _OPTIONAL),
}
_WORKLOAD = StructOf("v1alpha2.WorkloadSpec", _WORKLOAD_FIELDS)
_URL = _struct(
    "apis.URL",
    Scheme=("scheme", STRING),
    Host=("host", STRING),
    Path=("path", STRING),
    RawQuery=("query", STRING),
    Fragment=("fragment", STRING),
)
_MODEL = _struct(
    "v1alpha2.LLMModelSpec",
    URI=("uri", StructOf(_URL.name, _URL.fields, text="text")),
    Name=("name", PointerTo(STRING)),
    LoRA=("lora", PointerTo(_struct("v1alpha2.LoRASpec", Adapters=("adapters", _NAMED)))),
)
_REFS = ListOf(_struct("v1.LocalObjectReference", Name=("name", STRING)))
_GATEWAY = _struct(
    "v1alpha2.GatewaySpec",
    Refs=(
        "refs",
        ListOf(
            _struct(
                "v1alpha2.UntypedObjectReference",
                Name=("name", STRING),
                Namespace=("namespace", STRING),
            )
        ),
    ),
)
_ROUTE = _struct(
    "v1alpha2.GatewayRoutesSpec",
    HTTP=(
        "http",
        PointerTo(
            _struct("v1alpha2.HTTPRouteSpec", Refs=("refs", _REFS), Spec=("spec", _OPTIONAL))
        ),
    ),
)
_POOL = _struct(
    "v1alpha2.InferencePoolSpec",
    Spec=("spec", _OPTIONAL),
    Ref=("ref", PointerTo(_struct("v1.LocalObjectReference", Name=("name", STRING)))),
)
_SCHEDULER = _struct(
    "v1alpha2.SchedulerSpec",
    Pool=("pool", PointerTo(_POOL)),
    Labels=("labels", STRINGS),
    Annotations=("annotations", STRINGS),
    Template=("template", PointerTo(StructOf("v1.PodSpec", known=False))),
    Config=("config", _OPTIONAL),
    Replicas=("replicas", PointerTo(INT)),
    Tokenizer=("tokenizer", _OPTIONAL),
)
_ROUTER = _struct(
    "v1alpha2.RouterSpec",
    Route=("route", PointerTo(_ROUTE)),
    Gateway=("gateway", PointerTo(_GATEWAY)),
    Ingress=("ingress", _OPTIONAL),
    Scheduler=("scheduler", PointerTo(_SCHEDULER)),
)
_SPEC = _struct(
    "v1alpha2.LLMInferenceServiceSpec",
    Model=("model", _MODEL),
    StorageInitializer=("storageInitializer", _OPTIONAL),
    WorkloadSpec=("", _WORKLOAD),
    **_WORKLOAD_FIELDS,
    Prefill=("prefill", PointerTo(_WORKLOAD)),
    Router=("router", PointerTo(_ROUTER)),
    BaseRefs=("baseRefs", _REFS),
    Tracing=("tracing", _OPTIONAL),
)
_META_FIELDS: dict[str, tuple[str, GoType]] = {
    "Name": ("name", STRING),
    "Namespace": ("namespace", STRING),
    "Labels": ("labels", STRINGS),
    "Annotations": ("annotations", STRINGS),
}
_STATUS = _struct(
    "v1alpha2.LLMInferenceServiceStatus",
    URL=("url", PointerTo(STRING)),
    Annotations=("annotations", STRINGS),
    Conditions=("conditions", _NAMED),
    Addresses=("addresses", _NAMED),
)
_FACTS: dict[str, tuple[str, GoType]] = {
    "SystemNamespace": ("systemNamespace", STRING),
    "IngressGatewayName": ("ingressGatewayName", STRING),
    "IngressGatewayNamespace": ("ingressGatewayNamespace", STRING),
    "EnableTLS": ("enableTLS", BOOL),
    "ModelBasedRoutingHeaderName": ("modelBasedRoutingHeaderName", STRING),
    "InferencePoolNamespacedName": ("inferencePoolNamespacedName", STRING),
}
_ALWAYS = ("SystemNamespace", "IngressGatewayName", "IngressGatewayNamespace")


@cache
def _root(facts: tuple[str, ...]) -> StructOf:
    """Return the type of `.`. facts: what the release adds to the configuration that templates see."""
    known = {name: _FACTS[name] for name in (*_ALWAYS, *facts)}
    return StructOf(
        "struct { *v1alpha2.LLMInferenceService; GlobalConfig llmisvc.templateGlobalConfig }",
        {
            "ObjectMeta": ("metadata", StructOf("v1.ObjectMeta", _META_FIELDS)),
            **{name: (f"{key}", kind) for name, (key, kind) in _META_FIELDS.items()},
            "Spec": ("spec", _SPEC),
            "Status": ("status", _STATUS),
            "GlobalConfig": ("globalConfig", StructOf("llmisvc.templateGlobalConfig", known)),
        },
    )


def template_data(
    service: LlmInferenceService,
    status: Json,
    config: SystemConfig,
    settings: Settings,
    merged: Json,
) -> Struct:
    """Return what `.` is in a preset.

    service: with its own spec, the model's name resolved. status: of the live service, empty where there is none.
    merged: its spec with the presets, before they are filled in; of it only the pool's name is seen.
    """
    metadata = {
        "name": service.name,
        "namespace": service.namespace,
        "labels": service.labels,
        "annotations": service.annotations,
    }
    model = service.spec.get("model") or {}
    referenced = value_at(merged, ("router", "scheduler", "pool", "ref", "name"))
    pool = referenced or names.inference_pool(service.name)
    return Struct(
        _root(_CONFIGURED.at(settings.release)),
        {
            **metadata,
            "metadata": metadata,
            "spec": {**service.spec, "model": {**model, "uri": _url(model)}},
            "status": status,
            "globalConfig": {
                "systemNamespace": settings.kserve_namespace,
                "ingressGatewayName": config.ingress.gateway_name,
                "ingressGatewayNamespace": config.ingress.gateway_namespace,
                "enableTLS": config.ingress.tls,
                "modelBasedRoutingHeaderName": config.ingress.model_header,
                "inferencePoolNamespacedName": f"{service.namespace}/{pool}",
            },
        },
    )


def _url(model: Mapping[str, Any]) -> Json:
    text = model.get("uri") or ""
    try:
        parts = urlsplit(text)
    except ValueError:
        return {"text": text}
    return {
        "text": text,
        "scheme": parts.scheme,
        "host": parts.netloc.rpartition("@")[2],
        "path": unquote(parts.path),
        "query": parts.query,
        "fragment": unquote(parts.fragment),
    }
