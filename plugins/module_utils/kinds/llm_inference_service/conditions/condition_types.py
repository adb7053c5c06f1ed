# SPDX-License-Identifier: GPL-3.0-or-later
"""One statement of the status, in the words of the controller."""

from __future__ import annotations

from ....kube.condition import Condition
from ....kube.fields import filled
from ....kube.manifest import Json

READY, WORKLOADS, ROUTER = "Ready", "WorkloadsReady", "RouterReady"
PRESETS = "PresetsCombined"
MAIN, WORKER = "MainWorkloadReady", "WorkerWorkloadReady"
PREFILL, PREFILL_WORKER = "PrefillWorkloadReady", "PrefillWorkerWorkloadReady"
GATEWAYS, ROUTES = "GatewaysReady", "HTTPRoutesReady"
POOL, PICKER = "InferencePoolReady", "SchedulerWorkloadReady"

SCALING, PREFILL_SCALING = "ScalingReady", "PrefillScalingReady"

GROUP, GROUP_DEGRADED = "GroupReady", "GroupDegraded"

#: The pods that serve.
SERVING = (MAIN, WORKER, PREFILL, PREFILL_WORKER)
#: What each summary is made of: the first part that is false decides.
PARTS = {
    WORKLOADS: (*SERVING, SCALING, PREFILL_SCALING),
    ROUTER: (GATEWAYS, ROUTES, POOL, PICKER),
}
_COUNTING = frozenset({READY, *PARTS})


def true(kind: str) -> Condition:
    """Return the statement that something is as it should be."""
    return Condition(kind, "True", "", "")


def false(kind: str, reason: str, message: str = "") -> Condition:
    """Return the statement that something is not."""
    return Condition(kind, "False", reason, message)


def stopped(kind: str) -> Condition:
    """Return the statement about a part of a service that is stopped."""
    return false(kind, "Stopped", "Service is stopped")


def to_json(condition: Condition) -> Json:
    """Return a condition as the status holds it: what does not count by itself has the severity `Info`."""
    severity = "" if condition.type in _COUNTING else "Info"
    return filled({**condition.to_dict(), "severity": severity})


def from_json(condition: Json) -> Condition:
    """Return a condition that a status holds."""
    return Condition(
        condition["type"],
        condition["status"],
        condition.get("reason", ""),
        condition.get("message", ""),
    )
