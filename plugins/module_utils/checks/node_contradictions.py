# SPDX-License-Identifier: GPL-3.0-or-later
"""Demands on nodes that no node can meet, whatever the cluster has: one line of them contradicts another.

Source: Kubernetes documentation, Assigning Pods to Nodes (terms are alternatives, the expressions of a term hold together).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from .node_demands import Demand, required, selected

_NUMBERS = ("Gt", "Lt")

CONTRADICTS = Check(
    "node-contradiction",
    WARNING,
    finds="{mine} and {theirs} ({field}) hold for no node at once: {effect}",
    fix="leave out one of them",
)


@check(CONTRADICTS, costly=True)
def node_contradiction(view: ServiceView) -> Iterator[Problem]:
    """Yield demands on nodes that contradict each other."""
    for workload in view.workloads:
        chosen = selected(workload)
        pairs = [_contradiction([*chosen, *term]) for term in required(workload)]
        all_fail = all(pairs)
        for pair in filter(None, pairs):
            first, second = pair
            place = workload.fields(second.path)
            yield CONTRADICTS.at(
                place,
                mine=second,
                theirs=first,
                field=workload.fields(first.path).field,
                effect="the pods stay Pending" if all_fail else "this term chooses nothing",
            )


def _contradiction(demands: Sequence[Demand]) -> tuple[Demand, Demand] | None:
    """Return the first two demands of which a node can only meet one."""
    for number, second in enumerate(demands):
        for first in demands[:number]:
            if first.key == second.key and (_excludes(first, second) or _excludes(second, first)):
                return first, second
    return None


def _excludes(one: Demand, other: Demand) -> bool:
    """Tell whether what meets one demand never meets the other."""
    if other.operator == "DoesNotExist":
        return one.operator in ("In", "Exists", *_NUMBERS)
    if one.operator == "In":
        return not any(_meets(value, other) for value in one.values)
    if (one.operator, other.operator) == _NUMBERS:
        low, high = _number(one), _number(other)
        return low is not None and high is not None and high - low <= 1
    return False


def _meets(value: str, demand: Demand) -> bool:
    """Tell whether a label of a value meets a demand."""
    if demand.operator in ("In", "NotIn"):
        return (value in demand.values) is (demand.operator == "In")
    limit = _number(demand)
    if demand.operator in _NUMBERS and limit is not None:
        number = _whole(value)
        return number is not None and (
            number > limit if demand.operator == "Gt" else number < limit
        )
    return True


def _number(demand: Demand) -> int | None:
    return _whole(demand.values[0]) if len(demand.values) == 1 else None


def _whole(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() else None
