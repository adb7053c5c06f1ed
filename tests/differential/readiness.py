# SPDX-License-Identifier: GPL-3.0-or-later
"""The statuses that other controllers give to the children of a service, here given by hand."""

from __future__ import annotations

import random
from typing import Any

from .batch import Case

Json = dict[str, Any]
_TIME = "2026-01-01T00:00:00Z"


def statuses(case: Case, objects: list[Json], phase: int) -> list[Json]:  # noqa: ARG001
    """Return the objects with a status each. The mood of a case decides: 0 is ready, others mix what can go wrong."""
    chance = random.Random(f"{case.namespace}/{case.mood}")
    found = []
    for each in objects:
        status = _status(each, chance, case.mood)
        if status is not None:
            meta = {key: each["metadata"].get(key) for key in ("name", "namespace", "generation")}
            found.append(
                {
                    "apiVersion": each["apiVersion"],
                    "kind": each["kind"],
                    "metadata": meta,
                    "status": status,
                }
            )
    return found


def _condition(kind: str, status: str, generation: int, reason: str, message: str) -> Json:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": _TIME,
        "observedGeneration": generation,
    }


def _status(each: Json, chance: random.Random, mood: int) -> Json | None:
    generation = each["metadata"].get("generation", 1)
    bad = mood > 0 and chance.random() < 0.4
    if mood > 0 and chance.random() < 0.15:
        return None
    match each["kind"]:
        case "Deployment":
            return _deployment(each, generation, bad, chance)
        case "LeaderWorkerSet":
            status = "False" if bad else "True"
            conditions = [
                _condition(
                    "Available", status, generation, "AllGroupsReady", "All replicas are ready"
                )
            ]
            if bad and chance.random() < 0.5:
                conditions[0]["type"] = "Progressing"
            if chance.random() < 0.3 and mood:
                conditions.append(
                    _condition(
                        "Progressing",
                        "True",
                        generation,
                        "GroupsProgressing",
                        "Replicas are progressing",
                    )
                )
            return {"conditions": conditions, "replicas": 1, "readyReplicas": 0 if bad else 1}
        case "HorizontalPodAutoscaler":
            return _autoscaler(bad, chance)
        case "ScaledObject":
            return _scaled_object(bad, chance)
        case "InferencePool":
            return _pool(each, generation, bad, chance, mood)
        case "HTTPRoute":
            return _route(each, generation, bad, chance, mood)
    return None


def _deployment(each: Json, generation: int, bad: bool, chance: random.Random) -> Json:
    replicas = each["spec"].get("replicas", 1)
    available = _condition(
        "Available", "True", 0, "MinimumReplicasAvailable", "Deployment has minimum availability."
    )
    progressing = _condition("Progressing", "True", 0, "NewReplicaSetAvailable", "rolled out")
    if bad:
        kind = chance.randrange(4)
        if kind == 0:
            available |= {
                "status": "False",
                "reason": "MinimumReplicasUnavailable",
                "message": "Deployment does not have minimum availability.",
            }
        elif kind == 1:
            progressing |= {
                "status": "False",
                "reason": "ProgressDeadlineExceeded",
                "message": "timed out",
            }
            available |= {
                "status": "False",
                "reason": "MinimumReplicasUnavailable",
                "message": "none",
            }
        elif kind == 2:
            available |= {"status": "Unknown", "reason": "Odd", "message": ""}
        else:
            available |= {"type": "Odd"}
    conditions = [available, progressing]
    if bad and chance.random() < 0.3:
        conditions.append(
            _condition("ReplicaFailure", "True", 0, "FailedCreate", "quota 100% used")
        )
    for one in conditions:
        one.pop("observedGeneration")
        one["lastUpdateTime"] = _TIME
    if chance.random() < 0.5 and bad:
        conditions.reverse()
    return {
        "observedGeneration": generation,
        "replicas": replicas,
        "readyReplicas": replicas,
        "updatedReplicas": replicas,
        "availableReplicas": replicas,
        "conditions": conditions,
    }


def _autoscaler(bad: bool, chance: random.Random) -> Json:
    able = _condition("AbleToScale", "True", 0, "SucceededGetScale", "able")
    active = _condition("ScalingActive", "True", 0, "ValidMetricFound", "active")
    conditions = [able, active]
    if bad:
        one = chance.choice(conditions)
        one |= {"status": chance.choice(("False", "Unknown")), "reason": "FailedGetScale"}
        if chance.random() < 0.3:
            conditions.remove(one)
        elif chance.random() < 0.2:
            conditions.clear()
    for one in conditions:
        del one["observedGeneration"]
    return {"currentReplicas": 1, "desiredReplicas": 1, "conditions": conditions}


def _scaled_object(bad: bool, chance: random.Random) -> Json:
    status = chance.choice(("False", "Unknown")) if bad else "True"
    ready = {"type": "Ready", "status": status, "reason": "ScaledObjectReady", "message": "said"}
    active = {"type": "Active", "status": "True", "reason": "Scaling", "message": "active"}
    return {"conditions": [active] if bad and chance.random() < 0.2 else [ready, active]}


def _accepted(generation: int, bad: bool, chance: random.Random) -> list[Json]:
    conditions = [
        _condition("Accepted", "True", generation, "Accepted", "accepted"),
        _condition("ResolvedRefs", "True", generation, "ResolvedRefs", "resolved"),
    ]
    if bad:
        kind = chance.randrange(7)
        one = conditions[chance.randrange(2)]
        if kind == 0:
            one["status"] = "False"
            one["reason"] = chance.choice(
                ["InvalidKind", "NoMatchingParent", "BackendNotFound", "RefNotPermitted"]
            )
            one["message"] = "not so"
        elif kind == 1:
            one["status"] = "Unknown"
            one["reason"] = "Pending"
        elif kind == 2:
            one["observedGeneration"] = (
                generation + 1 if chance.random() < 0.3 else max(0, generation - 1)
            )
        elif kind == 3:
            conditions.remove(one)
        elif kind == 4:
            one["message"] = ""
            one["status"] = "False"
        elif kind == 5:
            conditions.append(_condition("PartiallyInvalid", "True", generation, "Odd", "dropped"))
        else:
            conditions.reverse()
            one["status"] = "False"
            one["reason"] = "NotAllowedByListeners"
    return conditions


def _gateway_ref(name: str = "kserve-ingress-gateway", namespace: str = "kserve") -> Json:
    return {
        "group": "gateway.networking.k8s.io",
        "kind": "Gateway",
        "name": name,
        "namespace": namespace,
    }


def _pool(each: Json, generation: int, bad: bool, chance: random.Random, mood: int) -> Json:
    key = "parents" if each["apiVersion"].endswith("/v1") else "parent"
    parents = [{"parentRef": _gateway_ref(), "conditions": _accepted(generation, bad, chance)}]
    if mood and chance.random() < 0.25:
        other = _accepted(generation, chance.random() < 0.5, chance)
        parents.insert(
            chance.randrange(2), {"parentRef": _gateway_ref("other"), "conditions": other}
        )
    return {key: parents}


def _route(each: Json, generation: int, bad: bool, chance: random.Random, mood: int) -> Json:
    parents = []
    for reference in each["spec"].get("parentRefs") or ():
        if mood and chance.random() < 0.15:
            continue
        shown = dict(reference)
        if mood and chance.random() < 0.2:
            shown.setdefault("namespace", each["metadata"]["namespace"])
        parents.append(
            {
                "parentRef": shown,
                "controllerName": "example.com/gateway-controller",
                "conditions": _accepted(generation, bad, chance),
            }
        )
    if mood and chance.random() < 0.15:
        parents.append(
            {
                "parentRef": _gateway_ref("elsewhere"),
                "controllerName": "example.com/other",
                "conditions": _accepted(generation, chance.random() < 0.5, chance),
            }
        )
    return {"parents": parents}
