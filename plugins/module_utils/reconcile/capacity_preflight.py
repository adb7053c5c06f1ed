# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the pods of a plan's GPU workloads, where they are new or changed, will find room: said before anything is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..accelerators.demand import WORKLOADS, demands_of
from ..capacity.check import judge
from ..capacity.source import LiveObjects
from ..cluster.connection import Cluster
from ..engine.plan import Change
from ..engine.service_plan import ServicePlan
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.quantity import same_quantity
from ..task.arguments import REQUIRE

#: Rules of what is the same for all workloads of a namespace.
_OF_NAMESPACE = "quota"


def check_fit(cluster: Cluster, plans: Sequence[ServicePlan], mode: str) -> list[Problem]:
    """Add to each plan what its pods lack: an error with `require`, a warning with `warn`. Returns what could not be looked at.

    Where no GPU workload is new or changed, nothing is read.
    """
    found = [
        (plan, change, manifest)
        for plan in plans
        for change in plan.changes
        if (manifest := _with_devices(change)) is not None
    ]
    if not found:
        return []
    changed = [
        number
        for number, (dummy, change, manifest) in enumerate(found)
        if change.live is not None and _has_other_template(change.live, manifest)
    ]
    manifests = [manifest for *dummy, manifest in found]
    judged = judge(LiveObjects(cluster), manifests, changed, rollouts=True)
    told: set[tuple[int, Problem]] = set()
    for number, (plan, change, dummy) in enumerate(found):
        for problem in _in_mode(judged.problems.get(number, ()), mode):
            if problem.rule.startswith(_OF_NAMESPACE) and (id(plan), problem) in told:
                # What concerns a namespace concerns each workload in it.
                continue
            told.add((id(plan), problem))
            # A service may have several workloads.
            plan.problems.append(replace(problem, message=f"{change.reference}: {problem.message}"))
    return judged.notes


def _in_mode(problems: Sequence[Problem], mode: str) -> Iterator[Problem]:
    for problem in problems:
        if mode == REQUIRE:
            yield problem
        elif problem.rule != "fit-uncertain":
            yield replace(problem, severity="warning")


def _with_devices(change: Change) -> Json | None:
    """Return the workload that a change writes, as it will be there, where its pods ask for devices."""
    if change.desired is None or change.reference.kind not in WORKLOADS:
        return None
    manifest = change.desired.manifest("", create=True)
    replicas = value_at(change.live or {}, ("spec", "replicas"))
    if replicas is not None and ("spec", "replicas") in change.desired.unclaimed:
        manifest["spec"]["replicas"] = replicas
    return manifest if any(demand.device for demand in demands_of(manifest)) else None


def _has_other_template(live: Json, wanted: Json) -> bool:
    path = ("spec", "template")
    return not _covers(value_at(live, path), value_at(wanted, path))


def _covers(live: Any, wanted: Any) -> bool:
    """Return whether a live value says all that is wanted; the server may have added to it, and written quantities its own way."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(
            _covers(live.get(key), value) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(live, list)
            and len(live) == len(wanted)
            and all(_covers(left, right) for left, right in zip(live, wanted, strict=True))
        )
    return live == wanted or same_quantity(live, wanted)
