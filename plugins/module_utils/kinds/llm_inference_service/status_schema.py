# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an LLMInferenceService, as its CRD declares it. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.17.0."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ...kube.core_schema import string_map
from ...kube.route_filters import backend_fields
from ...kube.route_rules import SERVICE_PORT
from ...kube.schema import Boolean, Integer, ListOf, Object, Text, rows
from ...kube.schema_release import at_release
from ..kserve.releases import KServe
from ..kserve.status_schema import CONDITIONS, address
from .releases import NEWEST

_ADDRESS = address(
    "Where the service is reached.", "Who reaches it: `gateway-external`, `internal` and others."
)

_NAME, _PLACE = Text(description="Its name."), Text(description="Its namespace.")
_REFERENCE = Object(
    description="An object.",
    fields={
        "group": Text(description="Its API group.", keep_empty=True),
        "kind": Text(description="Its kind."),
        "name": _NAME,
        "namespace": _PLACE,
    },
)
_WORKLOAD = Object(
    description="An object of the service's namespace.",
    fields={
        "apiGroup": Text(description="Its API group."),
        "kind": Text(description="Its kind."),
        "name": _NAME,
    },
)
_COUNTED = replace(
    _WORKLOAD,
    fields={
        **_WORKLOAD.fields,
        "readyReplicas": Integer(description="Pods, or groups, that work.", since=KServe.V0_20),
    },
)
_MODELS = ListOf(
    description="Names of models that requests may give.",
    items=Object(fields={"name": Text(description="One of them.")}),
    since=KServe.V0_20,
)
_GATEWAY = Object(
    description="A Gateway that requests come through.",
    fields={
        **_REFERENCE.fields,
        "listeners": ListOf(description="Its listeners; all where there are none.", items=Text()),
        "httpRoutes": ListOf(description="The routes that are bound to it.", items=_REFERENCE),
    },
)
_MEMBER = Object(
    description="A service of the group.",
    fields={
        "name": _NAME,
        "weight": Integer(description="Its share."),
        "stopped": Boolean(description="Whether it is stopped, and takes no requests."),
        "backendRef": Object(
            description="Where its requests go.",
            fields=backend_fields(),
            required=("name",),
            rules=(SERVICE_PORT,),
        ),
    },
    required=("name", "weight"),
)
_ROUTER = Object(
    description="How requests come in.",
    fields={
        "gateways": ListOf(description="Gateways, by namespace and name.", items=_GATEWAY),
        "scheduler": Object(
            description="Who chooses a pod.",
            fields={"inferencePool": _REFERENCE, "service": _REFERENCE},
        ),
        "group": Object(
            description="The services that share requests.",
            since=KServe.V0_20,
            fields={
                "name": Text(description="The group."),
                "members": ListOf(
                    description="Its members, by name.", items=_MEMBER, keys=("name",)
                ),
            },
            required=("name",),
        ),
    },
)
_CONFIG = Object(
    description="A config.",
    fields={
        "name": _NAME,
        "namespace": _PLACE,
        "source": Text(description="`Preset` for KServe's choice, `UserRef` for a baseRef."),
    },
)
_SOURCED = replace(
    _ADDRESS,
    fields={
        **_ADDRESS.fields,
        "origin": replace(_REFERENCE, since=KServe.V0_19),
        "models": _MODELS,
    },
)

STATUS = Object(
    description="What is there.",
    fields={
        "url": Text(description="Where the service is reached from outside."),
        "observedGeneration": Integer(description="Generation that was processed last.", bits=64),
        "conditions": CONDITIONS,
        "annotations": string_map("Which presets the service keeps."),
        "address": _ADDRESS,
        "addresses": ListOf(description="All addresses.", items=_SOURCED),
        "appliedConfigs": ListOf(
            description="Configs that were merged.", items=_CONFIG, since=KServe.V0_19
        ),
        "router": replace(_ROUTER, since=KServe.V0_19),
        "workloads": Object(
            description="What serves the model.",
            since=KServe.V0_19,
            fields={
                **dict.fromkeys(("primary", "prefill", "scheduler"), _COUNTED),
                "service": _WORKLOAD,
            },
        ),
    },
)


@cache
def status_fields(release: KServe) -> frozenset[str]:
    """Return the paths of the fields of a status that a release writes; `[]` stands for the items of a list."""
    return frozenset(row.path for row in rows(at_release(STATUS, release, NEWEST), ""))
