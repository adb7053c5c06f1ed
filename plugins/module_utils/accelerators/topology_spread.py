# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology spread constraints that keep pods from nodes (`DoNotSchedule`), and how many pods they let go where.

With one constraint the number that finds room does not depend on the order: a domain that may take a pod may do so until it takes
one, whatever the others take. Source: k8s.io/kubernetes v1.36.3, scheduler plugin PodTopologySpread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kube.manifest import Json
from ..kube.selector import selects
from .pod_affinity import with_expressions

_HONOR = "Honor"


@dataclass(frozen=True, slots=True)
class Spread:
    """One constraint. counts_itself: the pods that are to be placed are among those that it counts.

    least_domains: with fewer the emptiest counts as empty. honors_affinity, honors_taints: nodes that may not take the pods are no domain.
    """

    key: str
    skew: int
    selector: Mapping[str, Any]
    least_domains: int
    honors_affinity: bool
    honors_taints: bool
    counts_itself: bool

    def counts(self, labels: Mapping[str, str]) -> bool:
        """Return whether it counts a pod of the same namespace; one with an empty selector counts none."""
        return bool(any(self.selector.values())) and selects(self.selector, labels)


def constraints(spec: Json) -> Sequence[Json]:
    """Return the constraints of a pod that can keep it from a node, as they are written."""
    return [
        each
        for each in spec.get("topologySpreadConstraints") or ()
        if each.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule"
    ]


def spreads(spec: Json, labels: Mapping[str, str]) -> Sequence[Spread]:
    """Return the constraints of a pod with these labels."""
    return [_spread(each, labels) for each in constraints(spec)]


def _spread(each: Json, labels: Mapping[str, str]) -> Spread:
    more = [
        {"key": key, "operator": "In", "values": [labels[key]]}
        for key in each.get("matchLabelKeys") or ()
        if key in labels
    ]
    selector = with_expressions(each.get("labelSelector"), more)
    return Spread(
        each["topologyKey"],
        each.get("maxSkew", 1),
        selector,
        each.get("minDomains") or 1,
        each.get("nodeAffinityPolicy", _HONOR) == _HONOR,
        each.get("nodeTaintsPolicy") == _HONOR,
        selects(selector, labels),
    )


def static_refusal(spread: Spread, there: Mapping[str, int], domain: str) -> bool:
    """Return whether a domain takes none of the pods, which do not count themselves. there: counted pods by domain."""
    return there.get(domain, 0) - _least(spread, there) > spread.skew


def shares(
    spread: Spread, there: Mapping[str, int], room: Mapping[str, int], wanted: int
) -> dict[str, int]:
    """Return how many of the wanted pods each domain gets. room: pods for which its nodes have room."""
    counts = dict(there)
    given = dict.fromkeys(room, 0)
    left = wanted
    while left:
        before = left
        for domain, most in room.items():
            ceiling = _least(spread, counts) + spread.skew
            taken = min(most - given[domain], ceiling - counts.get(domain, 0), left)
            if taken > 0:
                given[domain] += taken
                counts[domain] = counts.get(domain, 0) + taken
                left -= taken
        if left == before:
            break
    return given


def _least(spread: Spread, counts: Mapping[str, int]) -> int:
    """Return the pods of the emptiest domain."""
    return 0 if len(counts) < spread.least_domains else min(counts.values(), default=0)
