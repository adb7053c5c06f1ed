# SPDX-License-Identifier: GPL-3.0-or-later
"""What a queue of Kueue lets a workload have. A workload that names no queue is none of Kueue's business.

Source: kueue.x-k8s.io/v1beta1 and v1beta2 (LocalQueue, ClusterQueue).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from .fit import Answer
from .requests import CLASS_PREFIX, PODS, Amounts, amounts, shown

#: The label of a workload by which it names its LocalQueue.
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
API_VERSIONS = ("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1")


def queue_problems(
    answers: Sequence[Answer],
    queue: str,
    local_queues: Sequence[Json],
    cluster_queues: Sequence[Json],
) -> Iterator[Problem]:
    """Yield why a queue does not admit a workload now. answers: about all of its pods. local_queues: of its namespace."""
    local = _named(local_queues, queue)
    if local is None:
        yield Problem(
            "",
            f"LocalQueue {queue} does not exist in this namespace, so Kueue keeps the pods back",
            rule="queue",
        )
        return
    name = str(value_at(local, ("spec", "clusterQueue")))
    cluster_queue = _named(cluster_queues, name)
    if cluster_queue is None:
        yield Problem(
            "",
            f"LocalQueue {queue} belongs to ClusterQueue {name}, which does not exist",
            rule="queue",
        )
        return
    wanted = _wanted(answers)
    for group in value_at(cluster_queue, ("spec", "resourceGroups")) or ():
        covered = {
            each: wanted.pop(each) for each in group.get("coveredResources") or () if each in wanted
        }
        if covered:
            yield from _group(cluster_queue, name, group, covered)
    wanted.pop(PODS, None)
    for resource in wanted:
        if resource.startswith(CLASS_PREFIX):
            # Which resource a class counts as is set in Kueue's own configuration.
            continue
        yield Problem(
            "",
            f"ClusterQueue {name} has no quota of {resource}, so Kueue does not admit the pods",
            rule="queue",
        )


def _named(objects: Sequence[Json], name: str) -> Json | None:
    return next((each for each in objects if each["metadata"].get("name") == name), None)


def _wanted(answers: Sequence[Answer]) -> Amounts:
    total: Amounts = {PODS: 0}
    for answer in answers:
        total[PODS] += answer.wanted
        for resource, amount in answer.demand.requests.items():
            if amount and answer.wanted:
                total[resource] = total.get(resource, 0) + answer.wanted * amount
    return total


def _group(
    cluster_queue: Json, name: str, group: Json, wanted: Mapping[str, int]
) -> Iterator[Problem]:
    """Yield a problem where no flavor has enough of everything, with what the best one lacks."""
    shortages = [
        (flavor["name"], _lacking(cluster_queue, flavor, wanted))
        for flavor in group.get("flavors") or ()
    ]
    if any(not lacking for dummy, lacking in shortages):
        return
    flavors = "; ".join(f"flavor {flavor}: {', '.join(lacking)}" for flavor, lacking in shortages)
    text = f"ClusterQueue {name} admits no more now: {flavors or 'it has no flavor'}"
    cohort = value_at(cluster_queue, ("spec", "cohort")) or value_at(
        cluster_queue, ("spec", "cohortName")
    )
    if cohort:
        text += f"; it may borrow in cohort {cohort}, which is not judged"
    yield Problem("", text, "warning" if cohort else "error", rule="queue")


def _lacking(cluster_queue: Json, flavor: Json, wanted: Mapping[str, int]) -> list[str]:
    used = _used(cluster_queue, flavor["name"])
    quotas: Mapping[str, Any] = {
        each["name"]: each.get("nominalQuota", 0) for each in flavor.get("resources") or ()
    }
    lacking = []
    for resource, amount in wanted.items():
        quota = amounts({resource: quotas.get(resource, 0)})[resource]
        taken = amounts({resource: used.get(resource, 0)})[resource]
        if taken + amount > quota:
            lacking.append(
                f"{shown(resource, quota)} {resource}, {shown(resource, taken)} used, {shown(resource, amount)} wanted"
            )
    return lacking


def _used(cluster_queue: Json, flavor: str) -> Mapping[str, Any]:
    for usage in value_at(cluster_queue, ("status", "flavorsUsage")) or ():
        if usage.get("name") == flavor:
            return {each["name"]: each.get("total", 0) for each in usage.get("resources") or ()}
    return {}
