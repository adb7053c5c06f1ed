# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of ClusterQueues and Cohorts that lend quota to each other: what a queue may have of a flavor's resource, and what is free now.

Source: kubernetes-sigs/kueue pkg/cache/resource_node.go (how limits of lending and borrowing count at each level of the tree).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..kube.manifest import Json, value_at
from .requests import amounts


@dataclass(frozen=True, slots=True)
class Quota:
    """What an object says of a flavor's resource. borrowing, lending: None where there is no limit."""

    nominal: int = 0
    borrowing: int | None = None
    lending: int | None = None


@dataclass(slots=True)
class _Node:
    """A ClusterQueue or Cohort, seen for one resource of one flavor. used: of a queue; that of a Cohort follows from those below it."""

    quota: Quota
    used: int = 0
    parent: str = ""
    below: list[_Node] = field(default_factory=list)

    def whole(self) -> int:
        """Return its own quota and what those below lend."""
        return self.quota.nominal + sum(each.whole() - each.kept() for each in self.below)

    def kept(self) -> int:
        """Return what it does not lend to those beside it."""
        limit = self.quota.lending
        return 0 if limit is None else max(0, self.whole() - limit)

    def taken(self) -> int:
        """Return what it uses, and those below beyond what they keep."""
        return self.used + sum(max(0, each.taken() - each.kept()) for each in self.below)


class Cohorts:
    """The tree for one resource of one flavor."""

    def __init__(
        self, queues: Sequence[Json], cohorts: Sequence[Json], flavor: str, resource: str
    ) -> None:
        self._cohorts: dict[str, _Node] = {}
        self._queues: dict[str, _Node] = {}
        for each in cohorts:
            quota = quota_of(each, flavor, resource)
            self._cohorts[each["metadata"]["name"]] = _Node(quota, parent=parent_of(each))
        for each in queues:
            quota, used = quota_of(each, flavor, resource), used_of(each, flavor, resource)
            self._queues[each["metadata"]["name"]] = _Node(quota, used, cohort_of(each))
        for node in [*self._cohorts.values(), *self._queues.values()]:
            if node.parent:
                self._cohorts.setdefault(node.parent, _Node(Quota())).below.append(node)

    def most(self, queue: str) -> int:
        """Return what a queue may have where nothing is used at all."""
        return self._most(self._queues[queue])

    def _most(self, node: _Node) -> int:
        if not node.parent:
            return node.whole()
        found = node.kept() + self._most(self._cohorts[node.parent])
        limit = node.quota.borrowing
        return found if limit is None else min(found, node.whole() + limit)

    def free(self, queue: str) -> int:
        """Return what a queue may have beside what is used now."""
        return self._free(self._queues[queue])

    def _free(self, node: _Node) -> int:
        if not node.parent:
            return node.whole() - node.taken()
        above = self._free(self._cohorts[node.parent])
        if node.quota.borrowing is not None:
            lent = node.whole() - node.kept()
            borrowed = max(0, node.taken() - node.kept())
            above = min(above, lent - borrowed + node.quota.borrowing)
        return max(0, node.kept() - node.taken()) + above


def cohort_of(queue: Json) -> str:
    """Return the Cohort of a ClusterQueue, empty where it has none."""
    spec = queue.get("spec") or {}
    return str(spec.get("cohort") or spec.get("cohortName") or "")


def parent_of(cohort: Json) -> str:
    """Return the Cohort in which one lies, empty where there is none."""
    spec = cohort.get("spec") or {}
    return str(spec.get("parentName") or spec.get("parent") or "")


def above(queue: Json, cohorts: Sequence[Json]) -> tuple[list[str], bool]:
    """Return the names of the Cohorts above a queue, the nearest first, and whether they form a cycle."""
    parents = {each["metadata"]["name"]: parent_of(each) for each in cohorts}
    found: list[str] = []
    name = cohort_of(queue)
    while name and name not in found:
        found.append(name)
        name = parents.get(name, "")
    return found, bool(name)


def quota_of(holder: Json, flavor: str, resource: str) -> Quota:
    """Return what a ClusterQueue or Cohort says of a flavor's resource."""
    for group in value_at(holder, ("spec", "resourceGroups")) or ():
        for each in group.get("flavors") or ():
            for entry in each.get("resources") or ():
                if each["name"] == flavor and entry["name"] == resource:
                    return Quota(
                        _amount(entry, "nominalQuota", resource) or 0,
                        _amount(entry, "borrowingLimit", resource),
                        _amount(entry, "lendingLimit", resource),
                    )
    return Quota()


def used_of(queue: Json, flavor: str, resource: str) -> int:
    """Return what a ClusterQueue uses of a flavor's resource."""
    for usage in value_at(queue, ("status", "flavorsUsage")) or ():
        for entry in usage.get("resources") or ():
            if usage.get("name") == flavor and entry["name"] == resource:
                return _amount(entry, "total", resource) or 0
    return 0


def _amount(entry: Mapping[str, object], name: str, resource: str) -> int | None:
    """Return an amount of a resource that is in a field, None where there is none."""
    given = entry.get(name)
    return None if given is None else amounts({resource: given})[resource]
