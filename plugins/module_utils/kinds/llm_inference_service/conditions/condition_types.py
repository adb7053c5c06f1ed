# SPDX-License-Identifier: GPL-3.0-or-later
"""One statement of the status, in the words of the controller."""

from __future__ import annotations

from collections.abc import Collection

from ....kube.condition import Condition
from ....kube.fields import filled
from ....kube.manifest import Json
from ....kube.release import Since
from ...kserve.releases import KServe

READY, WORKLOADS, ROUTER = "Ready", "WorkloadsReady", "RouterReady"
PRESETS = "PresetsCombined"
MAIN, WORKER = "MainWorkloadReady", "WorkerWorkloadReady"
PREFILL, PREFILL_WORKER = "PrefillWorkloadReady", "PrefillWorkerWorkloadReady"
GATEWAYS, ROUTES = "GatewaysReady", "HTTPRoutesReady"
POOL, PICKER = "InferencePoolReady", "SchedulerWorkloadReady"
TOKENIZER = "TokenizerReady"

SCALING, PREFILL_SCALING = "ScalingReady", "PrefillScalingReady"

GROUP, GROUP_DEGRADED = "GroupReady", "GroupDegraded"

#: All of them.
ALL = (
    READY,
    WORKLOADS,
    ROUTER,
    PRESETS,
    MAIN,
    WORKER,
    PREFILL,
    PREFILL_WORKER,
    GATEWAYS,
    ROUTES,
    POOL,
    PICKER,
    TOKENIZER,
    SCALING,
    PREFILL_SCALING,
    GROUP,
    GROUP_DEGRADED,
)
#: The pods that serve.
SERVING = (MAIN, WORKER, PREFILL, PREFILL_WORKER)
#: What each summary is made of: the first part that is false decides.
PARTS = {
    WORKLOADS: (*SERVING, SCALING, PREFILL_SCALING),
    ROUTER: (GATEWAYS, ROUTES, POOL, PICKER, TOKENIZER),
}
#: Whether Ready depends on the presets, too, beside the summaries.
_PRESETS_COUNT: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})


def true(kind: str) -> Condition:
    """Return the statement that something is as it should be."""
    return Condition(kind, "True", "", "")


def false(kind: str, reason: str, message: str = "") -> Condition:
    """Return the statement that something is not."""
    return Condition(kind, "False", reason, message)


def stopped(kind: str) -> Condition:
    """Return the statement about a part of a service that is stopped."""
    return false(kind, "Stopped", "Service is stopped")


def counting(release: KServe) -> tuple[str, ...]:
    """Return what Ready is made of."""
    return (PRESETS, *PARTS) if _PRESETS_COUNT.at(release) else tuple(PARTS)


def to_json(condition: Condition, counts: Collection[str]) -> Json:
    """Return a condition as the status holds it. counts: what Ready is made of; what is not has the severity `Info`."""
    severity = "" if condition.type == READY or condition.type in counts else "Info"
    return filled({**condition.to_dict(), "severity": severity})


def from_json(condition: Json) -> Condition:
    """Return a condition that a status holds."""
    return Condition(
        condition["type"],
        condition["status"],
        condition.get("reason", ""),
        condition.get("message", ""),
    )
