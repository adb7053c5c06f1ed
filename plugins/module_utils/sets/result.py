# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task about a set returns: the same keys on every path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..engine.outcome import Outcome
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..task.result import Clock, diffs, failure_of, stats

EMPTY: Mapping[str, Any] = {
    "changed": False,
    "id": "",
    "exists": False,
    "objects": [],
    "unchanged": 0,
    "members": [],
    "drift": [],
    "edits": [],
    "version": "",
    "checks": [],
    "manifests": [],
    "problems": [],
    "stats": {},
}


@dataclass(slots=True)
class SetResult:
    """What a run has to tell. unchanged: how many objects were as wanted. troubles: what ended it early.

    edits: what people changed and what stays.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    edits: list[Json] = field(default_factory=list)


def result_of(
    told: SetResult, set_id: str, counted: Any, clock: Clock, *, diff: bool, exists: bool
) -> Json:
    """Return the result of a run that may have written something."""
    changed = [outcome for outcome in told.outcomes if outcome.action != "unchanged"]
    problems = [*told.problems, *_warned(told.outcomes)]
    result: Json = {
        **EMPTY,
        "changed": any(outcome.changed for outcome in told.outcomes),
        "id": set_id,
        "exists": exists,
        "objects": [_object(outcome) for outcome in changed],
        "unchanged": told.unchanged + len(told.outcomes) - len(changed),
        "edits": told.edits,
        **problems_of(problems),
        "stats": stats(counted, clock),
        **failure_of(told.outcomes, told.troubles),
    }
    if diff:
        result["diff"] = diffs(told.outcomes)
    return result


def problems_of(problems: Sequence[Problem]) -> Json:
    """Return what a result says of problems."""
    return {
        "problems": [asdict(problem) for problem in problems],
        "warnings": [str(problem) for problem in problems if problem.severity == "warning"],
    }


def named(reference: Reference, **more: Any) -> Json:
    """Return an object's name as results show it."""
    return {
        "kind": reference.kind,
        "namespace": reference.namespace,
        "name": reference.name,
        **more,
    }


def _object(outcome: Outcome) -> Json:
    return named(outcome.reference, action=outcome.action, reason=outcome.reason)


def _warned(outcomes: Sequence[Outcome]) -> Iterable[Problem]:
    return [
        Problem("", f"{outcome.reference}: {outcome.warning}", "warning")
        for outcome in outcomes
        if outcome.warning
    ]
