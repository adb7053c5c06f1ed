# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences about InferenceServices that are meant: each has its row in docs/differences.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.canaries import (
    canaries as canaries_of,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.spec import (
    InferenceService,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.modes import (
    MODE_ANNOTATION,
    MODEL_MESH,
    STANDARD,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from tests.objects import thing
from tests.parity.compare import Key

from .meant import is_car

Json = dict[str, Any]
#: Rules by which a service is refused that the controller admits and cannot bring up.
_ON_PURPOSE = frozenset({"unknown-field"})


#: What the webhook has written in place of what we refuse: I112.
_READ_OTHERWISE = re.compile(r"null is not|\d+\.\d+ is not a quantity")
#: What the webhook does not look at, and the controller cannot bring up: I28, I29, I89.
_TAKEN = frozenset({"missing", "custom-predictor", "duplicate"})
#: The same of rules of which it looks at a part: I34, I113, I114.
_TOO_MUCH = re.compile(r"it has \d+ characters|give only one of them|names no (claim|image)")


def is_taken(problem: Any) -> bool:
    """Return whether the API takes what a problem of a service refuses."""
    told = _READ_OTHERWISE.match(problem.message) or _TOO_MUCH.search(problem.message)
    return problem.rule in _TAKEN or told is not None


def is_of_mesh(problem: Any, document: Json) -> bool:
    """Return whether the webhook leaves what we refuse to the ModelMesh controller: I26."""
    annotations = document["metadata"].get("annotations") or {}
    mesh = annotations.get(MODE_ANNOTATION) == MODEL_MESH
    return mesh and problem.rule == "multi-node"


def is_refused_on_purpose(problems: Sequence[Any]) -> bool:
    """Return whether we refuse for reasons of our own alone."""
    return {problem.rule for problem in problems} <= _ON_PURPOSE


def without_children(
    mine: dict[Key, Json], theirs: dict[Key, Json]
) -> tuple[dict[Key, Json], dict[Key, Json]]:
    """Return the children of both without those of which a difference is meant: I9."""
    several_nodes = any(key[1] == "Deployment" and key[3].endswith("-worker") for key in mine)
    if several_nodes:
        outside = ("Ingress", "HTTPRoute")
        mine = {key: one for key, one in mine.items() if key[1] not in outside or key in theirs}
    return mine, theirs


def canaries(service: InferenceService) -> list[Json]:
    """Return the canaries of a service with pods: 0.20.0 takes their pods from the predictor at once (I123)."""
    return [
        thing(
            "apps/v1",
            "Deployment",
            each.name,
            service.namespace,
            status={"availableReplicas": 1},
        )
        for each in canaries_of(service)
    ]


def without_shares(child: Json) -> Json:
    """Return a child of ours without the shares of canaries, which the routes of 0.20.0 do not have: I123."""
    if child["kind"] != "HTTPRoute":
        return child
    rules = [_unshared(each) for each in child["spec"]["rules"]]
    return {**child, "spec": {**child["spec"], "rules": rules}}


def _unshared(rule: Json) -> Json:
    first = {key: value for key, value in rule["backendRefs"][0].items() if key != "weight"}
    return {**rule, "backendRefs": [first]}


def never_begins(service: Json, release: KServe) -> bool:
    """Return whether a release's webhook keeps its controller from a service: I119. service: as it was in the end."""
    mode = (service["metadata"].get("annotations") or {}).get(MODE_ANNOTATION)
    return release == KServe.V0_19 and mode not in (None, STANDARD)


def is_ready_by_chance(status: Json) -> bool:
    """Return whether the controller still adds up what the Deployments of a predictor on several nodes say: I9."""
    return any(
        one["type"] == "PredictorReady"
        and one["status"] == "Unknown"
        and "worker-container: " in str(one.get("message"))
        for one in status.get("conditions") or ()
    )


def is_open_though_stopped(service: InferenceService, lines: Sequence[str]) -> bool:
    """Return whether a status differs in nothing but the way to a stopped service that nobody reaches from outside: I120."""
    of_way = ("IngressReady: they {'status': 'True'}", "url: they")
    return service.stopped and all(line.startswith(of_way) for line in lines)


def masked_pod(pod: Json, ours: Json) -> Json:
    """Return a pod of theirs with our words in the shell commands of a model image, which are our own."""
    spec = dict(pod["spec"])
    for field in ("containers", "initContainers"):
        mine = {one["name"]: one for one in ours.get(field) or ()}
        spec[field] = [
            {**one, "args": mine[one["name"]].get("args")}
            if is_car(one) and one["name"] in mine and len(one.get("args") or ()) == 3
            else one
            for one in spec.get(field) or ()
        ]
    return {**pod, "spec": spec}
