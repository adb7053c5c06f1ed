# SPDX-License-Identifier: GPL-3.0-or-later
"""What the flavors of a ClusterQueue have left, with what its Cohorts lend.

Source: kueue.x-k8s.io/v1alpha1, v1beta1 and v1beta2 (ClusterQueue, Cohort).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from .cohorts import Cohorts, above, cohort_of, parent_of, quota_of, used_of
from .requests import shown


@dataclass(frozen=True, slots=True)
class Lending:
    """Who lends: every ClusterQueue, and every Cohort. cohorts: None where they are not known."""

    queues: Sequence[Json]
    cohorts: Sequence[Json] | None


@dataclass(frozen=True, slots=True)
class _Shortage:
    """What a flavor lacks of a resource. final: waiting for others does not help."""

    text: str
    final: bool


def group_problems(
    queue: Json,
    group: Json,
    wanted: Mapping[str, int],
    unfit: Mapping[str, str],
    lending: Lending,
) -> Iterator[Problem]:
    """Yield a problem where no flavor of a group has enough of everything, with what each one lacks.

    unfit: flavors that the pods cannot get, and why.
    """
    name, flavors = queue["metadata"]["name"], [each["name"] for each in group.get("flavors") or ()]
    if flavors and unfit.keys() >= {*flavors}:
        why = "; ".join(f"flavor {each}: {unfit[each]}" for each in flavors)
        text = (
            f"ClusterQueue {name} has no flavor for these pods, so Kueue does not admit them: {why}"
        )
        yield Problem("", text, rule="queue")
        return
    path, endless = above(queue, lending.cohorts or ())
    if endless:
        chain = " in ".join([*path, path[0]])
        text = f"the Cohorts of ClusterQueue {name} form a cycle ({chain}), so Kueue admits nothing; change spec.parentName of one of them"
        yield Problem("", text, rule="queue")
        return
    shortages = {
        each: list(_lacking(queue, each, wanted, lending)) for each in flavors if each not in unfit
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
        text += f"; the other queues of cohort {path[0]} lend no more now"
        text += ", and what a Cohort has of its own is not known" * (lending.cohorts is None)
    yield Problem("", text, "error" if final else "warning", rule="queue")


def idle_limits(queue: Json, cohorts: Sequence[Json]) -> Iterator[Problem]:
    """Yield limits of borrowing and lending of a ClusterQueue, and of the Cohorts above it, where there is nobody to borrow from."""
    names, dummy = above(queue, cohorts)
    known = {each["metadata"]["name"]: each for each in cohorts}
    holders = [("ClusterQueue", queue, cohort_of(queue))]
    holders += [("Cohort", known[name], parent_of(known[name])) for name in names if name in known]
    for kind, holder, parent in holders:
        limits = [*_limits(holder)] if not parent else []
        if limits:
            home = "cohort" if kind == "ClusterQueue" else "parent"
            text = (
                f"{kind} {holder['metadata']['name']} has {' and '.join(limits)} and no {home}, so that nobody lends to it: Kueue refuses such "
                f"limits; name a {home}, or take them out"
            )
            yield Problem("", text, "warning", rule="queue")


def _limits(holder: Json) -> Iterator[str]:
    """Yield the limits of borrowing and lending that an object says."""
    found: dict[str, None] = {}
    for group in value_at(holder, ("spec", "resourceGroups")) or ():
        for flavor in group.get("flavors") or ():
            for entry in flavor.get("resources") or ():
                for name in ("borrowingLimit", "lendingLimit"):
                    if entry.get(name) is not None:
                        found[f"{name} of {entry['name']}"] = None
    yield from found


def _lacking(
    queue: Json, flavor: str, wanted: Mapping[str, int], lending: Lending
) -> Iterator[_Shortage]:
    """Yield what a flavor has too little of."""
    name, cohort = queue["metadata"]["name"], cohort_of(queue)
    for resource, amount in wanted.items():
        quota, taken = quota_of(queue, flavor, resource), used_of(queue, flavor, resource)
        borrowed = taken + amount - quota.nominal
        if borrowed <= 0:
            continue
        text = f"{shown(resource, quota.nominal)} {resource}, {shown(resource, taken)} used, {shown(resource, amount)} requested"
        if not cohort:
            yield _Shortage(text, final=True)
            continue
        tree = Cohorts(lending.queues, lending.cohorts or (), flavor, resource)
        most = tree.most(name)
        if quota.borrowing is not None and borrowed > quota.borrowing:
            at_most = f"at most {shown(resource, quota.borrowing)} borrowed"
            yield _Shortage(f"{text}, {at_most}", final=True)
        elif amount > most and lending.cohorts is not None:
            at_most = f"at most {shown(resource, most)} with all that cohort {cohort} ever lends"
            yield _Shortage(f"{text}, {at_most}", final=True)
        elif amount > tree.free(name):
            yield _Shortage(text, final=False)
