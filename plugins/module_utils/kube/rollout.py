# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a workload has come: counters, whether they speak of its present template, and what stops it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .fault import WorkloadFault
from .leader_worker_set import KIND as GROUPS
from .leader_worker_set import SET_LABEL, as_of_before, is_groups, ready_groups, seen_generation
from .manifest import Json
from .pod_health import newest, pod_fault

#: Kinds that run pods and count them, or groups of them, alike in `spec.replicas` and `status.readyReplicas`.
WORKLOADS = frozenset({"Deployment", "StatefulSet", GROUPS})


@dataclass(frozen=True, slots=True)
class Rollout:
    """A workload's state, counted in pods, or in groups of pods where it has them.

    found: whether it exists. observed: whether its controller has seen the present template. updated: pods of that
    template. total: pods of any template. fault: what waiting does not mend, None also where the pods are complete.
    """

    found: bool = False
    desired: int = 0
    ready: int = 0
    updated: int = 0
    total: int = 0
    observed: bool = False
    fault: WorkloadFault | None = None

    @property
    def rolled_out(self) -> bool:
        """Whether all pods are of the present template; the ready ones may be old ones otherwise."""
        return self.observed and self.updated >= self.desired and self.total <= self.updated

    @property
    def complete(self) -> bool:
        """Whether all pods that are wanted are ready and of the present template."""
        return self.found and self.rolled_out and self.ready >= self.desired


def read_rollout(workload: Json | None, pods: Sequence[Json]) -> Rollout:
    """Return the state of a workload, or of one that is not there. pods: any pods, its own among them."""
    if workload is None:
        return Rollout()
    spec, status = workload.get("spec") or {}, workload.get("status") or {}
    seen = seen_generation(workload) if is_groups(workload) else status.get("observedGeneration")
    rollout = Rollout(
        found=True,
        desired=spec.get("replicas", 1),
        ready=ready_groups(workload, pods)
        if is_groups(workload)
        else status.get("readyReplicas") or 0,
        updated=status.get("updatedReplicas") or 0,
        total=status.get("replicas") or 0,
        observed=(seen or 0) >= (workload["metadata"].get("generation") or 0),
    )
    if rollout.complete or not rollout.observed:
        return rollout
    if spec.get("paused") and not rollout.rolled_out:
        name = workload["metadata"]["name"]
        message = f"Deployment {name} is paused, so its rollout does not continue; set spec.paused to false"
        return replace(rollout, fault=WorkloadFault("DeploymentPaused", message))
    return replace(rollout, fault=_fault(workload, status, pods))


def pod_selector(workload: Json) -> Mapping[str, str]:
    """Return the labels that a workload's pods have in common."""
    if is_groups(workload):
        return {SET_LABEL: workload["metadata"]["name"]}
    selector = (workload.get("spec") or {}).get("selector") or {}
    found: Mapping[str, str] = selector.get("matchLabels") or {}
    return found


def as_observed(before: Json, after: Json) -> Json:
    """Return an object after an update, with what its controller has said of it, as far as that speaks of the new spec.

    The API server raises the generation of a Deployment for a changed annotation, too; no pod is touched by that.
    """
    if is_groups(after):
        return as_of_before(before, after)
    seen = (before.get("status") or {}).get("observedGeneration")
    same = seen == before["metadata"].get("generation") and before.get("spec") == after.get("spec")
    if seen is None or not same:
        return after
    status = {**after["status"], "observedGeneration": after["metadata"]["generation"]}
    return {**after, "status": status}


def _fault(workload: Json, status: Mapping[str, Any], pods: Sequence[Json]) -> WorkloadFault | None:
    """Return what a pod says, since it knows why; else what a Deployment says. Groups are not progressing where they are available."""
    name = workload["metadata"]["name"]
    own = newest(pods, pod_selector(workload)) if status.get("updatedReplicas") else []
    for fault in (pod_fault(pod) for pod in own):
        if fault is not None:
            return replace(fault, message=f"{workload['kind']} {name}, {fault.message}")
    if is_groups(workload):
        return None
    for kind, failing in (("ReplicaFailure", "True"), ("Progressing", "False")):
        for condition in status.get("conditions") or ():
            if (condition.get("type"), condition.get("status")) == (kind, failing):
                reason = condition.get("reason") or kind
                return WorkloadFault(
                    reason, f"Deployment {name}: {reason}: {condition.get('message', '')}"
                )
    return None
