# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would refuse of an object: one door for every kind whose rules are known here.

Fields that are not known here are passed over: a later API server may know them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import gvk
from ..manifest import Json
from ..names import check_dns_subdomain, check_word
from ..problem import Problem
from ..route_schema import http_route_spec
from ..schema import Anything, Boolean, ListOf, Object, Text
from ..schema_check import check, related
from .autoscaler import autoscaler_problems
from .definition import definition_problems
from .device_claim import device_claim_problems, device_class_problems
from .k8s_service import k8s_service_problems
from .metadata import annotation_problems, label_problems
from .object_schema import TYPES
from .route import route_problems
from .secret import secret_problems
from .workload import (
    deployment_problems,
    groups_problems,
    job_problems,
    knative_problems,
    pod_object_problems,
    replicated_problems,
    with_claimed_volumes,
    with_knative_defaults,
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """How objects of a kind are judged. rules: those across fields. read_as: what somebody fills in before the API looks. parts: what is judged."""

    schema: Object
    rules: Callable[[Json], Iterable[Problem]]
    name: Callable[[str], str | None] = check_dns_subdomain
    read_as: Callable[[Json], Json] = dict
    parts: tuple[str, ...] = ("spec",)


def _route() -> Object:
    return Object(fields={"spec": http_route_spec(newer=True)}, required=("spec",))


#: What is read of a definition; its schemas are passed over.
_DEFINITION = Object(
    fields={
        "group": Text(),
        "names": Object(fields={"plural": Text(), "kind": Text()}),
        "versions": ListOf(
            items=Object(fields={"name": Text(), "storage": Boolean(), "served": Boolean()})
        ),
    }
)
_MAP = Anything(type="object")
_REPLICATED = _Kind(TYPES["Templated"], replicated_problems)
_KINDS: Mapping[tuple[str, str], _Kind] = {
    ("", "Pod"): _Kind(TYPES["Pod"], pod_object_problems),
    ("", "Service"): _Kind(TYPES["Service"], k8s_service_problems, check_word),
    ("apps", "Deployment"): _Kind(TYPES["Deployment"], deployment_problems),
    ("apps", "StatefulSet"): _Kind(
        TYPES["Templated"], replicated_problems, read_as=with_claimed_volumes
    ),
    ("apps", "DaemonSet"): _REPLICATED,
    ("apps", "ReplicaSet"): _REPLICATED,
    ("batch", "Job"): _Kind(TYPES["Job"], job_problems),
    ("autoscaling", "HorizontalPodAutoscaler"): _Kind(
        TYPES["HorizontalPodAutoscaler"], autoscaler_problems
    ),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): _Kind(
        TYPES["LeaderWorkerSet"], groups_problems, read_as=with_claimed_volumes
    ),
    ("serving.knative.dev", "Service"): _Kind(
        TYPES["KnativeService"], knative_problems, read_as=with_knative_defaults
    ),
    (gvk.GATEWAY_GROUP, "HTTPRoute"): _Kind(_route(), route_problems),
    **{
        ("resource.k8s.io", kind): _Kind(
            Object(fields={"kind": Text(), "spec": _MAP}), rules, parts=("kind", "spec")
        )
        for kind, rules in (
            ("ResourceClaim", device_claim_problems),
            ("ResourceClaimTemplate", device_claim_problems),
            ("DeviceClass", device_class_problems),
        )
    },
    ("", "Secret"): _Kind(
        Object(fields={"data": _MAP, "stringData": _MAP}),
        secret_problems,
        parts=("data", "stringData"),
    ),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _Kind(
        Object(fields={"metadata": _MAP, "spec": _DEFINITION}, required=("spec",)),
        definition_problems,
        parts=("metadata", "spec"),
    ),
}


def object_problems(manifest: Json) -> Iterator[Problem]:
    """Yield what the API server would refuse of an object, each with its path in the object; nothing for kinds that are not known.

    A workload is judged with the pods that come of it. A part that is wrong by itself hides what would follow from it, and nothing else.
    """
    kind = _KINDS.get((_group(manifest), str(manifest.get("kind"))))
    if kind is None:
        return
    yield from _metadata_problems(manifest.get("metadata"), kind)
    read = kind.read_as(manifest)
    judged = {part: read.get(part) for part in kind.parts}
    checked = check(kind.schema, judged, "", keep_empty=True, unknown=False)
    yield from checked.problems
    yield from _across(kind, checked.value, checked.broken)


def _across(kind: _Kind, value: Json, broken: frozenset[str]) -> Iterator[Problem]:
    """Yield what is wrong across fields, beside the parts that are wrong by themselves."""
    try:
        for problem in kind.rules(value):
            if not related(problem.path, broken):
                yield problem
    except (AttributeError, KeyError, TypeError, ValueError):
        # What stands in for a part that is wrong may be nothing that rules can work with; the part itself is reported.
        if not broken:
            raise


def _group(manifest: Json) -> str:
    return str(manifest.get("apiVersion") or "").rpartition("/")[0]


def _metadata_problems(metadata: Any, kind: _Kind) -> Iterator[Problem]:
    if not isinstance(metadata, Mapping):
        return
    name = metadata.get("name")
    fault = kind.name(name) if isinstance(name, str) and name else None
    if fault:
        yield Problem("metadata.name", fault, rule="name")
    for field, judge in (("labels", label_problems), ("annotations", annotation_problems)):
        texts = metadata.get(field)
        if isinstance(texts, Mapping):
            yield from judge(
                {key: text for key, text in texts.items() if isinstance(text, str)},
                f"metadata.{field}",
            )
