# SPDX-License-Identifier: GPL-3.0-or-later
"""What the flavors of a ClusterQueue have left, with what its cohort lends.

Source: kueue.x-k8s.io/v1beta1 and v1beta2 (ClusterQueue). Cohorts that lie in others, or have quota of their own, are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from .requests import amounts, shown


@dataclass(frozen=True, slots=True)
class _Shortage:
    """What a flavor lacks of a resource. final: it may not even borrow that much."""

    text: str
    final: bool


def group_problems(
    queue: Json,
    group: Json,
    wanted: Mapping[str, int],
    unfit: Mapping[str, str],
    in_all: Sequence[Json],
) -> Iterator[Problem]:
    """Yield a problem where no flavor of a group has enough of everything, with what each one lacks.

    unfit: flavors that the pods cannot get, and why. in_all: every ClusterQueue, of which those of the same cohort lend.
    """
    name, flavors = queue["metadata"]["name"], group.get("flavors") or ()
    names = [flavor["name"] for flavor in flavors]
    if names and unfit.keys() >= {*names}:
        why = "; ".join(f"flavor {each}: {unfit[each]}" for each in names)
        text = (
            f"ClusterQueue {name} has no flavor for these pods, so Kueue does not admit them: {why}"
        )
        yield Problem("", text, rule="queue")
        return
    cohort = _cohort(queue)
    lenders = [each for each in in_all if cohort and _cohort(each) == cohort]
    lenders = [each for each in lenders if each["metadata"]["name"] != name]
    shortages = {
        flavor["name"]: list(_lacking(queue, flavor, wanted, lenders if cohort else None))
        for flavor in flavors
        if flavor["name"] not in unfit
    }
    if shortages and not all(shortages.values()):
        return
    told = (
        f"flavor {flavor}: {', '.join(each.text for each in lacking)}"
        for flavor, lacking in shortages.items()
    )
    text = f"ClusterQueue {name} admits no more now: {'; '.join(told) or 'it has no flavor'}"
    final = all(any(each.final for each in lacking) for lacking in shortages.values())
    if not final:
        text += f"; the other queues of cohort {cohort} lend no more now, and what a Cohort has of its own is not counted"
    yield Problem("", text, "error" if final else "warning", rule="queue")


def _cohort(queue: Json) -> str:
    spec = queue.get("spec") or {}
    return str(spec.get("cohort") or spec.get("cohortName") or "")


def _lacking(
    queue: Json, flavor: Json, wanted: Mapping[str, int], lenders: Sequence[Json] | None
) -> Iterator[_Shortage]:
    """Yield what a flavor has too little of. lenders: the other queues of the cohort, None without one."""
    used, quotas = _used(queue, flavor["name"]), _quotas(flavor)
    for resource, amount in wanted.items():
        own = quotas.get(resource) or {}
        quota, taken = _amount(own, "nominalQuota", resource), _amount(used, resource, resource)
        borrowed = taken + amount - quota
        if borrowed <= 0:
            continue
        text = f"{shown(resource, quota)} {resource}, {shown(resource, taken)} used, {shown(resource, amount)} requested"
        if lenders is None:
            yield _Shortage(text, final=True)
        elif "borrowingLimit" in own and borrowed > (
            most := _amount(own, "borrowingLimit", resource)
        ):
            yield _Shortage(f"{text}, at most {shown(resource, most)} borrowed", final=True)
        elif borrowed > sum(_lent(each, flavor["name"], resource) for each in lenders):
            yield _Shortage(text, final=False)


def _lent(queue: Json, name: str, resource: str) -> int:
    """Return what a queue lends of a flavor's resource beside what it uses itself."""
    for group in value_at(queue, ("spec", "resourceGroups")) or ():
        for flavor in group.get("flavors") or ():
            own = _quotas(flavor).get(resource)
            if flavor["name"] == name and own is not None:
                quota = _amount(own, "nominalQuota", resource)
                free = quota - _amount(_used(queue, name), resource, resource)
                most = _amount(own, "lendingLimit", resource) if "lendingLimit" in own else quota
                return max(0, min(free, most))
    return 0


def _quotas(flavor: Json) -> Mapping[str, Json]:
    return {each["name"]: each for each in flavor.get("resources") or ()}


def _amount(given: Mapping[str, Any], field: str, resource: str) -> int:
    """Return an amount of a resource that is in a field, 0 where there is none."""
    return amounts({resource: given.get(field) or 0})[resource]


def _used(queue: Json, flavor: str) -> Mapping[str, Any]:
    for usage in value_at(queue, ("status", "flavorsUsage")) or ():
        if usage.get("name") == flavor:
            return {each["name"]: each.get("total", 0) for each in usage.get("resources") or ()}
    return {}
