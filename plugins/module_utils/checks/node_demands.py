# SPDX-License-Identifier: GPL-3.0-or-later
"""What pods demand of their node by labels: the lines of their node selector, and of the terms of their node affinity, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..kinds.view import Workload
from ..kube.manifest import Json, value_at
from ..kube.schema_check import child_path

_AFFINITY = ("affinity", "nodeAffinity")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class Demand(NamedTuple):
    """One line. path: where it is in the pod. selector: it is one of the node selector, which has a value and no operator."""

    key: str
    operator: str
    values: tuple[str, ...]
    path: str
    selector: bool = False

    def __str__(self) -> str:
        """Return it as messages show it."""
        return " ".join([self.key, self.operator, ", ".join(self.values)]).strip()

    @property
    def key_path(self) -> str:
        """Where the label is named."""
        return self.path if self.selector else f"{self.path}.key"

    def value_path(self, number: int) -> str:
        """Where a value is."""
        return self.path if self.selector else f"{self.path}.values[{number}]"


def selected(workload: Workload) -> list[Demand]:
    """Return what the node selector demands."""
    given = workload.pod.get("nodeSelector") or {}
    return [
        Demand(str(key), "In", (str(value),), child_path("nodeSelector", str(key)), selector=True)
        for key, value in given.items()
    ]


def required(workload: Workload) -> list[list[Demand]]:
    """Return the terms of which a node has to meet one."""
    terms = value_at(workload.pod, (*_AFFINITY, REQUIRED, "nodeSelectorTerms")) or ()
    return [
        _of_term(term, f"{REQUIRED}.nodeSelectorTerms[{number}]")
        for number, term in enumerate(terms)
    ]


def preferred(workload: Workload) -> list[list[Demand]]:
    """Return the terms that a node had better meet."""
    wishes = value_at(workload.pod, (*_AFFINITY, PREFERRED)) or ()
    return [
        _of_term(wish.get("preference") or {}, f"{PREFERRED}[{number}].preference")
        for number, wish in enumerate(wishes)
    ]


def with_values(demands: Sequence[Demand]) -> Iterator[Demand]:
    """Yield those of demands that a node meets by one of some values."""
    return (each for each in demands if each.operator == "In" and each.values)


def _of_term(term: Json, path: str) -> list[Demand]:
    return [
        Demand(
            str(each.get("key")),
            str(each.get("operator")),
            tuple(map(str, each.get("values") or ())),
            f"{'.'.join(_AFFINITY)}.{path}.matchExpressions[{number}]",
        )
        for number, each in enumerate(term.get("matchExpressions") or ())
    ]
