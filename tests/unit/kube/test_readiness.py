# SPDX-License-Identifier: GPL-3.0-or-later
"""An object is ready when it does its work at its present generation, whatever older statements say."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.readiness import is_ready


def _object(kind: str, status: Any, spec: Any = None, **metadata: Any) -> dict[str, Any]:
    live: dict[str, Any] = {"kind": kind, "metadata": {"name": "a", "generation": 3, **metadata}}
    return (
        live
        | ({"spec": spec} if spec is not None else {})
        | ({"status": status} if status is not None else {})
    )


def _deployment(status: dict[str, Any], replicas: int = 2, **metadata: Any) -> dict[str, Any]:
    return _object("Deployment", status, {"replicas": replicas}, **metadata)


COMPLETE = {"observedGeneration": 3, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2}
FALSE = {"type": "Ready", "status": "False"}
TRUE = {"type": "Ready", "status": "True"}

READY = {
    "complete Deployment": _deployment(COMPLETE),
    "StatefulSet": _object("StatefulSet", COMPLETE, {"replicas": 2}),
    "scaled to zero": _deployment({"observedGeneration": 3}, 0),
    "custom resource": _object("ModelService", {"observedGeneration": 3, "conditions": [TRUE]}),
    "no observed generation kept": _object("Pod", {"conditions": [TRUE]}),
    "condition of this generation": _object(
        "Gateway", {"conditions": [{**TRUE, "type": "Programmed", "observedGeneration": 3}]}
    ),
    "Ready decides": _object("X", {"conditions": [{"type": "Available", "status": "False"}, TRUE]}),
    "CRD": _object(
        "CustomResourceDefinition", {"conditions": [{"type": "Established", "status": "True"}]}
    ),
    "accepted route": _object(
        "HTTPRoute",
        {"parents": [{"parentRef": {"name": "g"}, "conditions": [{**TRUE, "type": "Accepted"}]}]},
    ),
    "accepted pool of the old group": _object(
        "InferencePool",
        {"parent": [{"parentRef": {"name": "g"}, "conditions": [{**TRUE, "type": "Accepted"}]}]},
    ),
}

NOT_READY = {
    "a replica is missing": _deployment({**COMPLETE, "readyReplicas": 1}),
    "old pods are left": _deployment({**COMPLETE, "replicas": 3}),
    "ready pods are old ones": _deployment({**COMPLETE, "updatedReplicas": 1}),
    "generation not seen": _deployment({**COMPLETE, "observedGeneration": 2}),
    "no status yet": _object("Deployment", None, {"replicas": 1}),
    "being deleted": _deployment(COMPLETE, deletionTimestamp="2026-01-01T00:00:00Z"),
    "condition false": _object("ModelService", {"observedGeneration": 3, "conditions": [FALSE]}),
    "stale status": _object("ModelService", {"observedGeneration": 2, "conditions": [TRUE]}),
    "stale condition": _object("Gateway", {"conditions": [{**TRUE, "observedGeneration": 2}]}),
    "Available does not stand in for Ready": _object(
        "X", {"conditions": [FALSE, {**TRUE, "type": "Available"}]}
    ),
    "new custom resource": _object("ModelService", None, {}),
    "no known condition": _object("X", {"conditions": [{"type": "Synced", "status": "True"}]}),
    "refused route": _object(
        "HTTPRoute",
        {"parents": [{"parentRef": {"name": "g"}, "conditions": [{**FALSE, "type": "Accepted"}]}]},
    ),
    "failing Deployment without a name": {
        "kind": "Deployment",
        "metadata": {"generation": 1},
        "spec": {},
        "status": {
            "observedGeneration": 1,
            "conditions": [{"type": "ReplicaFailure", "status": "True"}],
        },
    },
}


@pytest.mark.parametrize("live", READY.values(), ids=READY)
def test_ready(live: dict[str, Any]) -> None:
    assert is_ready(live)


@pytest.mark.parametrize("live", NOT_READY.values(), ids=NOT_READY)
def test_not_ready(live: dict[str, Any]) -> None:
    assert not is_ready(live)


@pytest.mark.parametrize(
    ("live", "message"),
    [
        ({}, "neither a service result with `ready`, nor an object"),
        ({"kind": "Pod"}, "neither a service result"),
        (_object("ConfigMap", None), "ConfigMap a has neither spec nor status"),
        (_object("X", "up"), "`spec` and `status` of an object are mappings"),
    ],
)
def test_what_cannot_be_judged_is_an_error(live: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        is_ready(live)
