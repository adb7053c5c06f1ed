# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what scales the pods can do so, which KServe tells from 0.19 on. Source: KServe pkg/controller/v1alpha2/llmisvc/scaling.go@v0.19.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.condition import Condition
from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since
from ...kserve.releases import KServe
from ..children import autoscalers
from ..children.autoscalers import MAIN, PREFILL, Workload
from ..resolved import Resolved
from .condition_types import PREFILL_SCALING, SCALING, false, true

_WORKLOADS = ((SCALING, MAIN), (PREFILL_SCALING, PREFILL))
#: Whether the status says so.
_TOLD: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})
#: What KEDA has said once it has looked at an object.
_FIRST_SAID = frozenset({"Ready", "Active", "Fallback", "Paused"})


def scaling_conditions(resolved: Resolved, reader: Reader) -> Iterator[Condition]:
    """Yield what is said of each workload that is scaled."""
    if not _TOLD.at(resolved.settings.release):
        return
    for kind, workload in _WORKLOADS:
        if workload.pod_autoscaler(resolved) is not None:
            yield _pod_autoscaler(kind, workload, resolved, reader)
        elif workload.keda(resolved) is not None:
            yield _scaled_object(kind, workload, resolved, reader)


def _pod_autoscaler(kind: str, workload: Workload, resolved: Resolved, reader: Reader) -> Condition:
    name = workload.hpa(resolved.name)
    live = reader.get(Reference(*autoscalers.HPA.pair, resolved.namespace, name))
    if live is None:
        return false(kind, "HPAProgressing", "HPA not yet visible in cache")
    said = [one for one in _conditions(live) if one.get("type") in ("AbleToScale", "ScalingActive")]
    refused = next((one for one in said if one.get("status") == "False"), None)
    if refused is not None:
        return _passed_on(kind, refused)
    if not said:
        return false(kind, "HPAProgressing", "HPA conditions not yet available")
    return true(kind)


def _scaled_object(kind: str, workload: Workload, resolved: Resolved, reader: Reader) -> Condition:
    name = workload.scaled_object(resolved.name)
    live = reader.get(Reference(*autoscalers.SCALED_OBJECT.pair, resolved.namespace, name))
    reason = "ScaledObjectProgressing"
    if live is None:
        return false(kind, reason, "ScaledObject not yet visible in cache")
    said = {one.get("type"): one for one in _conditions(live)}
    if not said.keys() >= _FIRST_SAID:
        return false(kind, reason, "ScaledObject conditions not yet available")
    if said["Ready"].get("status") == "False":
        return _passed_on(kind, said["Ready"])
    if said["Ready"].get("status") != "True":
        return false(kind, reason, "ScaledObject is not yet ready")
    return true(kind)


def _conditions(live: Json) -> list[Json]:
    return value_at(live, ("status", "conditions")) or []


def _passed_on(kind: str, said: Json) -> Condition:
    return false(kind, said.get("reason", ""), said.get("message", ""))
