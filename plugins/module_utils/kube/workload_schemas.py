# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of workloads, as far as they are read: manifests that a user gives are checked by them.

Source: k8s.io/api v0.36, leaderworkerset.x-k8s.io/v1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .core_schema import string_map
from .input_schemas import part, parts
from .manifest import Json
from .pod_schema import POD_SPEC
from .problem import Problem
from .schema import (
    Anything,
    FieldRule,
    Integer,
    IntOrText,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
)
from .schema_check import check

_TEXT, _TEXTS = Text(), string_map("")
_COUNT = Integer(minimum=0)
_AMOUNTS = MapOf(values=QuantityValue())
_MAP = Anything(type="object")


_TEMPLATE = part("spec", metadata=part(labels=_TEXTS, annotations=_TEXTS), spec=POD_SPEC)
_SELECTOR = part(
    matchLabels=_TEXTS,
    matchExpressions=parts(
        "key", "operator", key=_TEXT, operator=_TEXT, values=ListOf(items=_TEXT)
    ),
)
_SURGE = FieldRule(
    name="range",
    message="maxSurge is neither a number of pods nor a part of them such as 25%",
    broken=lambda rolling: not re.fullmatch(r"[0-9]+%?", str(rolling.get("maxSurge", 0))),
)
_STRATEGY = part(
    type=_TEXT,
    rollingUpdate=Object(
        fields={"maxSurge": IntOrText(), "maxUnavailable": IntOrText()}, rules=(_SURGE,)
    ),
)
_REPLICATED: Mapping[str, Schema] = {
    "spec": part(
        "template",
        replicas=_COUNT,
        selector=_SELECTOR,
        strategy=_STRATEGY,
        template=_TEMPLATE,
        volumeClaimTemplates=ListOf(items=_MAP),
    )
}
_GROUPS: Mapping[str, Schema] = {
    "spec": part(
        "leaderWorkerTemplate",
        replicas=_COUNT,
        leaderWorkerTemplate=part(
            "workerTemplate",
            size=Integer(minimum=1),
            leaderTemplate=_TEMPLATE,
            workerTemplate=_TEMPLATE,
        ),
    )
}
_STATUSES = parts(
    "name",
    name=_TEXT,
    resources=part(requests=_AMOUNTS, limits=_AMOUNTS),
    allocatedResources=_AMOUNTS,
)
POD: Mapping[str, Schema] = {
    "spec": POD_SPEC,
    "status": part(
        phase=_TEXT,
        nominatedNodeName=_TEXT,
        containerStatuses=_STATUSES,
        initContainerStatuses=_STATUSES,
    ),
}
#: By kind, whatever its API version.
WORKLOAD_SCHEMAS: Mapping[str, Mapping[str, Schema]] = {
    "Pod": POD,
    "Job": {"spec": part("template", parallelism=_COUNT, template=_TEMPLATE)},
    "LeaderWorkerSet": _GROUPS,
    **dict.fromkeys(("Deployment", "StatefulSet", "ReplicaSet"), _REPLICATED),
}


#: What has a pod template, of whatever kind.
_TEMPLATED: Mapping[str, Schema] = {"spec": part("template", template=_TEMPLATE)}


def workload_problems(manifest: Json, path: str) -> Iterator[Problem]:
    """Yield what an API server would refuse about the shape of a workload, a pod, or anything with a pod template.

    path: how messages call it. Fields of which nothing is known are passed over.
    """
    fields = WORKLOAD_SCHEMAS.get(str(manifest.get("kind")), _TEMPLATED)
    yield from check(Object(fields=fields), manifest, path, unknown=False).problems
