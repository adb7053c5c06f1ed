# SPDX-License-Identifier: GPL-3.0-or-later
"""The statuses that other controllers give to the children of an InferenceService, here given by hand."""

from __future__ import annotations

import random
from typing import Any

from .batch import Case

Json = dict[str, Any]
_TIME = "2026-01-01T00:00:00Z"
_UNAVAILABLE = (
    "False",
    "MinimumReplicasUnavailable",
    "Deployment does not have minimum availability.",
)
_LATE = ("False", "ProgressDeadlineExceeded", "it took too long")


def statuses(case: Case, objects: list[Json], phase: int) -> list[Json]:
    """Return the objects with a status each. In the first phase all is well, in the second one chance decides."""
    chance = random.Random(f"{case.namespace}/{case.mood}")
    found = []
    for each in objects:
        bad = phase > 1 and chance.random() < 0.5
        status = _status(each, chance, bad)
        if status is not None:
            meta = {key: each["metadata"].get(key) for key in ("name", "namespace", "generation")}
            kind = {"apiVersion": each["apiVersion"], "kind": each["kind"]}
            found.append({**kind, "metadata": meta, "status": status})
    return found


def _status(each: Json, chance: random.Random, bad: bool) -> Json | None:
    if each["kind"] == "Deployment":
        return _deployment(each, chance, bad)
    if each["kind"] == "HTTPRoute":
        return _route(each, chance, bad)
    if each["apiVersion"] == "serving.knative.dev/v1":
        return _knative(each, chance, bad)
    return None


def _said(kind: str, status: str, reason: str, message: str) -> Json:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": _TIME,
    }


def _deployment(each: Json, chance: random.Random, bad: bool) -> Json:
    replicas, name = each["spec"].get("replicas", 1), each["metadata"]["name"]
    available = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    complete = f'ReplicaSet "{name}-1" has successfully progressed.'
    progressing = ("True", "NewReplicaSetAvailable", complete)
    serving = replicas
    if bad:
        form = chance.randrange(3)
        if form != 1:
            available = _UNAVAILABLE
        if form != 0:
            progressing = _LATE if chance.random() < 0.5 else ("True", "ReplicaSetUpdated", "going")
        serving = chance.choice((0, replicas))
    conditions = [_said("Available", *available), _said("Progressing", *progressing)]
    if bad and chance.random() < 0.3:
        conditions.append(_said("ReplicaFailure", "True", "FailedCreate", "quota"))
    return {
        "observedGeneration": each["metadata"].get("generation", 1),
        "replicas": replicas,
        "updatedReplicas": replicas if not bad else chance.choice((0, replicas)),
        "readyReplicas": serving,
        "availableReplicas": serving,
        "conditions": conditions,
    }


def _route(each: Json, chance: random.Random, bad: bool) -> Json:
    conditions = [
        _said("Accepted", "True", "Accepted", "accepted"),
        _said("ResolvedRefs", "True", "ResolvedRefs", "resolved"),
    ]
    if bad:
        form = chance.randrange(3)
        one = chance.choice(conditions)
        if form == 0:
            one |= {"status": "False", "reason": "NotAllowedByListeners", "message": "not so"}
        elif form == 1:
            one |= {"status": "Unknown", "reason": "Pending", "message": ""}
        else:
            conditions.remove(one)
    parents = [
        {
            "parentRef": dict(parent),
            "controllerName": "example.com/gateway",
            "conditions": conditions,
        }
        for parent in each["spec"].get("parentRefs") or ()
    ]
    return {"parents": parents}


def _knative(each: Json, chance: random.Random, bad: bool) -> Json:
    name, namespace = each["metadata"]["name"], each["metadata"]["namespace"]
    labels = each["metadata"].get("labels") or {}
    local = labels.get("networking.knative.dev/visibility") == "cluster-local"
    host = f"{name}.{namespace}.{'svc.cluster.local' if local else 'example.com'}"
    newest = f"{name}-00001"
    told = {"ConfigurationsReady": "True", "RoutesReady": "True", "Ready": "True"}
    if bad:
        one = chance.choice(("ConfigurationsReady", "RoutesReady"))
        told[one] = told["Ready"] = chance.choice(("False", "Unknown"))
    conditions = [
        _said(kind, status, "" if status == "True" else "Odd", "" if status == "True" else "not so")
        for kind, status in told.items()
    ]
    return {
        "observedGeneration": each["metadata"].get("generation", 1),
        "latestCreatedRevisionName": newest,
        "latestReadyRevisionName": newest,
        "conditions": conditions,
        "url": f"http://{host}",
        "address": {"url": f"http://{name}.{namespace}.svc.cluster.local"},
        "traffic": [_part(part, newest, host) for part in each["spec"].get("traffic") or ()],
    }


def _part(part: Json, newest: str, host: str) -> Json:
    found = {**part, "revisionName": part.get("revisionName", newest)}
    return {**found, "url": f"http://{part['tag']}-{host}"} if part.get("tag") else found
