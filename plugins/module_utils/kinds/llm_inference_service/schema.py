# SPDX-License-Identifier: GPL-3.0-or-later
"""Every field of an LLMInferenceService and of an LLMInferenceServiceConfig, in both versions: type, default, limits, meaning.

The order of the fields is that of the Go types, in which messages of the controller show values.
Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go, pkg/apis/serving/v1alpha1/llm_inference_service_conversion.go@v0.17.0.
"""

from __future__ import annotations

from functools import cache

from ...kube.core_schema import string_map
from ...kube.input_schemas import InputSchemas
from ...kube.pod_schema import POD_SPEC
from ...kube.release import Since
from ...kube.schema import (
    Anything,
    Boolean,
    Integer,
    IntOrText,
    ListOf,
    Object,
    Row,
    Schema,
    Text,
    custom_resource,
    rows,
)
from ...kube.schema_of_templates import open_at
from ...kube.schema_release import at_release
from ..chart_fields import CHART_HINTS
from ..kserve.confidential import CONFIDENTIAL
from ..kserve.releases import KServe
from ..kserve.scheduling_group import SCHEDULING_GROUP
from ..kserve.service import GROUP
from .offloading_schema import OFFLOADING, TRACING
from .releases import NEWEST
from .router_schema import name_only, router_schema
from .scaling_schema import REPLICAS_OR_SCALING, scaling_schema
from .spec import API_VERSION, CONFIG_KIND, KIND
from .status_schema import STATUS

#: What of a config may hold templates, whatever it is; before, some texts of routes and pools alone.
_OPEN = (
    ("template",),
    ("worker",),
    ("prefill", "template"),
    ("prefill", "worker"),
    ("router", "route", "http", "spec"),
    ("router", "scheduler", "pool", "spec"),
    ("router", "scheduler", "template"),
    ("router", "scheduler", "tokenizer", "template"),
)
_OPEN_CONFIGS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})

#: The versions that the API serves, the stored one last.
VERSIONS = ("v1alpha1", "v1alpha2")
STORED_VERSION = API_VERSION.partition("/")[2]

CRITICALITIES = ("Critical", "Standard", "Sheddable")


def _parallel(description: str) -> Integer:
    return Integer(description=description, minimum=1)


PARALLELISM = Object(
    description="How the model is spread.",
    fields={
        "tensor": _parallel("Devices over which each layer is split."),
        "pipeline": _parallel("Pods over which the layers are split. Not with `data`."),
        "data": _parallel("Copies of the model that work as one server."),
        "dataLocal": _parallel("Copies of the model in one pod; `data` over `dataLocal` pods."),
        "dataRPCPort": Integer(
            description="Port on which the copies communicate.", minimum=1, maximum=65535
        ),
        "expert": Boolean(description="Whether the experts of a model are spread."),
    },
)


def _limit(description: str) -> Integer:
    return Integer(description=description, minimum=1, since=KServe.V0_19)


def _model(version: str) -> Object:
    fields: dict[str, Schema] = {
        "uri": Text(
            description="Where the weights are: `hf://`, `s3://`, `pvc://` or `oci://`.",
            keep_empty=True,
        ),
        "name": Text(
            description="The name that clients send as `model`; by default the service's own."
        ),
    }
    if version == "v1alpha1":
        fields["criticality"] = Text(
            description="How much requests matter. Kept, without effect.", enum=CRITICALITIES
        )
    fields["lora"] = Object(
        description="Adapters, which the engine serves from 0.19 on; without effect before.",
        fields={
            "adapters": Anything(description="Adapters, as models."),
            "maxRank": _limit("Highest rank of an adapter."),
            "maxAdapters": _limit("Adapters in use at the same time."),
            "maxCpuAdapters": _limit("Adapters that are kept in the memory of the host."),
        },
    )
    if version == STORED_VERSION:
        fields["confidential"] = CONFIDENTIAL
    hints = {} if version == STORED_VERSION else {"confidential": "v1alpha2 has it"}
    return Object(
        description="The model that is served.", fields=fields, hints=hints, required=("uri",)
    )


#: A template holds the spec of pods alone.
_POD_HINTS = {
    **SCHEDULING_GROUP,
    "metadata": "labels and annotations of pods belong in spec.labels and spec.annotations",
}


def _scaling_hints(path: str) -> dict[str, str]:
    """Return where the bounds of autoscalers belong, which InferenceServices have at this place."""
    return {name: f"it belongs in {path}.scaling.{name}" for name in ("minReplicas", "maxReplicas")}


def _pod(description: str) -> Object:
    return Object(description=description, fields=POD_SPEC.fields, hints=_POD_HINTS)


_ROLLOUT = Object(
    description="How many pods, or groups, an update replaces at a time.",
    fields={
        "maxUnavailable": IntOrText(
            description="How many may be unavailable: a number or a share such as `25%`."
        ),
        "maxSurge": IntOrText(
            description="How many may exist in addition: a number or a share such as `25%`."
        ),
    },
    since=KServe.V0_21,
)


def _workload(what: str, scaling: Schema, version: str) -> dict[str, Schema]:
    """Return the fields that decode and prefill share. what: whose pods these are. scaling: how they are scaled."""
    return {
        "replicas": Integer(
            description="Pods, or groups of pods. If absent, the existing number is kept.",
            minimum=0,
        ),
        "scaling": scaling,
        "parallelism": PARALLELISM,
        "labels": string_map(f"Labels of {what}."),
        "annotations": string_map(f"Annotations of {what}."),
        "template": _pod("The pod, or the leader of a group; merged over the preset's."),
        "worker": _pod("The other pods of a group. Its presence creates groups of pods."),
        **({"kvCacheOffloading": OFFLOADING} if version == STORED_VERSION else {}),
        "rolloutStrategy": _ROLLOUT,
    }


@cache
def spec_schema(version: str, release: KServe, *, strict: bool = True) -> Object:
    """Return the schema of `spec`. Not strict is that of a v1alpha2 config, in which texts may be templates."""
    of_all = _spec(version, release, strict=strict)
    if not strict and _OPEN_CONFIGS.at(release):
        of_all = open_at(of_all, *_OPEN)
    return at_release(of_all, release, NEWEST)


def config_schema(release: KServe) -> Object:
    """Return the schema of the spec of a config of the stored version."""
    return spec_schema(STORED_VERSION, release, strict=False)


def _spec(version: str, release: KServe, *, strict: bool) -> Object:
    """Return the fields of all releases, with the defaults of one."""
    scaling = scaling_schema(release)
    prefill = Object(
        description="The pods that only read prompts. Its presence, also as `{}`, splits the work.",
        fields=_workload("the prefill pods", scaling, version),
        hints=_scaling_hints("spec.prefill"),
        rules=(REPLICAS_OR_SCALING,),
    )
    return Object(
        description="What is wanted.",
        hints={**_scaling_hints("spec"), **CHART_HINTS},
        fields={
            "model": _model(version),
            "storageInitializer": Object(
                description="How the weights get into the pods.",
                fields={
                    "enabled": Boolean(
                        description="`false` leaves all weights to the pods, also those of `pvc://` and `oci://`."
                    )
                },
            ),
            **_workload("all pods", scaling, version),
            "router": router_schema(version, release, strict=strict),
            "prefill": prefill,
            "baseRefs": ListOf(
                description="Configs that are merged under this spec, a later one over an earlier one.",
                items=name_only(""),
            ),
            "tracing": TRACING,
        },
        rules=(REPLICAS_OR_SCALING,),
    )


@cache
def root_schema(version: str, kind: str = KIND, release: KServe = NEWEST) -> Object:
    """Return the schema of a whole custom resource, as its CRD shows it."""
    what = (
        "A large language model that is served."
        if kind == KIND
        else "A part of services that they name or that KServe puts under them."
    )
    spec = spec_schema(version, release, strict=kind == KIND or version != STORED_VERSION)
    status = at_release(STATUS, release, NEWEST) if kind == KIND else None
    return custom_resource(what, f"{GROUP}/{version}", kind, spec, status)


def preset_schemas(release: KServe) -> InputSchemas:
    """Return the shape of an LLMInferenceServiceConfig of a release in each version."""
    return {
        (f"{GROUP}/{version}", CONFIG_KIND): {
            "spec": root_schema(version, CONFIG_KIND, release).fields["spec"]
        }
        for version in VERSIONS
    }


def documentation(version: str = STORED_VERSION, release: KServe = NEWEST) -> tuple[Row, ...]:
    """Return every field below `spec` in order, for the documentation table; pod specs are those of Kubernetes."""
    pods = ("template.", "worker.", "pvc.spec.")
    return tuple(
        row
        for row in rows(spec_schema(version, release), "spec")
        if not any(f".{pod}" in row.path for pod in pods)
    )
