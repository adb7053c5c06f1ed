# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of `router`: route, gateway, scheduler.

Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...kube.core_schema import string_map
from ...kube.pod_schema import POD_SPEC
from ...kube.pool_schema import v1_pool_spec, v1alpha2_pool_spec
from ...kube.release import Since
from ...kube.route_filters import NAMESPACE, SUBDOMAIN
from ...kube.route_schema import http_route_spec
from ...kube.schema import Anything, Boolean, Integer, ListOf, Object, Schema, Text
from ..kserve.releases import KServe
from ..kserve.scheduling_group import SCHEDULING_GROUP
from .router.by_model import ROUTES_BY_MODEL


def name_only(description: str) -> Object:
    """Return the schema of a reference to an object in the same namespace."""
    return Object(
        description=description,
        fields={"name": Text(description="Its name.", default="")},
        atomic=True,
    )


def _elsewhere(description: str, more: Mapping[str, Schema]) -> ListOf:
    one = Object(
        fields={
            "name": Text(description="Its name.", min_length=1, max_length=253),
            "namespace": NAMESPACE,
            **more,
        },
    )
    return ListOf(description=description, items=one)


def _pod(description: str) -> Object:
    return Object(description=description, fields=POD_SPEC.fields, hints=SCHEDULING_GROUP)


_SECTION = replace(SUBDOMAIN, description="Its listener.", since=KServe.V0_18)

#: Whether routes are those of Gateway API 1.5.
_NEWER_ROUTES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})
_APP_PROTOCOL = Text(
    description="The protocol between gateways and model servers.",
    enum=("http", "kubernetes.io/h2c"),
    default="http",
    since=KServe.V0_20,
)

_CONFIG = Object(
    description="Configuration of the endpoint picker; either `inline` or `ref`.",
    fields={
        "inline": Anything(description="The EndpointPickerConfig itself.", type="object"),
        "ref": Object(
            description="A key of a ConfigMap that holds it.",
            fields={
                "name": Text(description="The ConfigMap.", default=""),
                "key": Text(description="The key."),
                "optional": Boolean(description="Without effect."),
            },
            required=("key",),
            atomic=True,
        ),
    },
)


def _pool_spec(*, strict: bool) -> Object:
    """Return the schema of a pool of today, to whose API a field came later."""
    known = v1_pool_spec(strict=strict)
    return replace(known, fields={**known.fields, "appProtocol": _APP_PROTOCOL})


def _scheduler(version: str, strict: bool) -> Object:
    pool_spec = _pool_spec(strict=strict) if version == "v1alpha2" else v1alpha2_pool_spec()
    return Object(
        description="The endpoint picker, which chooses a pod for each request. Its presence, even as `{}`, requests one.",
        fields={
            "pool": Object(
                description="The InferencePool; by default one is created.",
                fields={
                    "spec": pool_spec,
                    "ref": name_only("Somebody else's pool, with a picker of its own."),
                },
            ),
            "labels": string_map("Labels of the picker's pods."),
            "annotations": string_map("Annotations of the picker's pods."),
            "template": _pod("The picker's pod, merged over the preset's."),
            "config": _CONFIG,
            "replicas": Integer(description="Pods of the picker."),
            "tokenizer": Object(
                description=(
                    "The server that tokenizes for the picker. If a plugin of the picker needs it, it is created even without this field."
                ),
                fields={"template": _pod("Its pod, merged over the preset's.")},
                since=KServe.V0_21,
            ),
        },
    )


def router_schema(version: str, release: KServe, *, strict: bool) -> Object:
    """Return the schema for a version. strict: whether texts are what they are going to be, or may be templates.

    release: whose defaults and whose Gateway API these are.
    """
    spec = http_route_spec(
        strict=strict,
        header_templates=ROUTES_BY_MODEL.at(release),
        newer=_NEWER_ROUTES.at(release),
    )
    route = Object(
        description="How requests come in. Its presence, even as `{}`, requests a route.",
        fields={
            "http": Object(
                description="The HTTPRoute; by default the preset's.",
                fields={
                    "refs": ListOf(
                        description="Routes of the user, which replace a managed one.",
                        items=name_only(""),
                    ),
                    "spec": spec,
                },
            ),
            "group": Text(
                description="The group of services of the namespace that share requests for one model. With `weight`.",
                min_length=1,
                max_length=63,
                pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
                since=KServe.V0_20,
            ),
            "weight": Integer(
                description="The service's share of these requests, in proportion to the weights of the others. `0` takes none.",
                minimum=0,
                maximum=1000000,
                since=KServe.V0_20,
            ),
        },
    )
    return Object(
        description="How the service is reached. By default, only by its workload Service.",
        fields={
            "route": route,
            "gateway": Object(
                description="Gateways of the route; by default the cluster's default Gateway.",
                fields={"refs": _elsewhere("Gateways of the user.", {"sectionName": _SECTION})},
            ),
            "ingress": Object(
                description="Without effect.",
                fields={"refs": _elsewhere("Ingresses of the user.", {})},
            ),
            "scheduler": _scheduler(version, strict),
        },
    )
