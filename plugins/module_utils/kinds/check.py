# SPDX-License-Identifier: GPL-3.0-or-later
"""A check: one function that finds one mistake in services of every kind, and one row that says what it finds and what mends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..kube.problem import Problem, Severity
from .field_map import Place

WARNING: Severity = "warning"
ERROR: Severity = "error"
#: What is good to know and needs no deed: it is in the result, and is no warning.
NOTE: Severity = "info"


@dataclass(frozen=True, slots=True)
class Check:
    """The row of a check.

    rule: its name in messages and docs. finds: the fact, and what comes of it. fix: what to do about it. Both are templates: `{size}`
    stands for a value that the function gives.
    severity: error for what no engine starts with. A service gets a warning all the same, since its controller would render it; a
    workload that is given by itself is refused.
    stops: an error of this row is one for a service, too, and nothing of the service is written: the API would refuse a child, or its
    pods would never start.
    """

    rule: str
    severity: Severity
    finds: str
    fix: str
    stops: bool = False

    def at(
        self, where: Place | str, *, fix: str = "", severity: Severity | None = None, **values: Any
    ) -> Problem:
        """Return what was found. where: what the author changes. fix: what mends it here, where the row's own does not fit."""
        place = Place(where) if isinstance(where, str) else where
        said = f"{place.object}: " if place.object else ""
        message = f"{self.finds}; {fix or self.fix}".format(**values)
        return Problem(place.field, f"{said}{message}", severity or self.severity, self.rule)


@dataclass(frozen=True, slots=True)
class BoundCheck:
    """A check with its function.

    reads: kinds of objects that the function reads from the cluster, as messages name them. costly: it takes longer than a look at what
    was compiled. Such checks run only where something changes or somebody asks.
    fleet: the function takes all services of a run (`Neighbour`) and yields the service with each problem.
    tries: the function takes a service to be tried with changes (`checks/trials.py`).
    """

    row: Check
    function: Callable[..., Iterable[Any]]
    reads: Sequence[str] = ()
    costly: bool = False
    fleet: bool = False
    tries: bool = False

    @property
    def in_every_run(self) -> bool:
        """Whether it runs for settled services, too."""
        return not (self.reads or self.costly or self.fleet or self.tries)


def check(
    row: Check,
    *,
    reads: Sequence[str] = (),
    costly: bool = False,
    fleet: bool = False,
    tries: bool = False,
) -> Callable[[Callable[..., Iterable[Any]]], BoundCheck]:
    """Make a check of a function from a `ServiceView` to problems. With `reads` it takes a `Reader`, too."""
    return lambda function: BoundCheck(row, function, reads, costly, fleet, tries)
