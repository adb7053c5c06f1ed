# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would refuse of the children of a service, told where their author says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.validation.objects import object_problems
from ..kube.validation.resources import ABOVE_LIMIT
from .field_map import FieldMap, Place

_REQUESTS, _LIMITS = "resources.requests", "resources.limits"


def api_problems(fields: FieldMap, manifests: Iterable[Json]) -> list[Problem]:
    """Return what would be refused of children, each finding once. fields: the map of their service.

    A value that becomes several parts of children is reported where it is written, and what follows from it elsewhere is left out.
    """
    found = list(dict.fromkeys(_problems(fields, manifests)))
    written = [problem for problem, exact in found if exact]
    return [
        problem
        for problem, exact in found
        if not any(
            _follows(problem, first, exact=exact)
            for first in (written[: written.index(problem)] if exact else written)
        )
    ]


def _problems(fields: FieldMap, manifests: Iterable[Json]) -> Iterator[tuple[Problem, bool]]:
    """Yield each problem with whether its field is where the value is written."""
    for manifest in manifests:
        reference = Reference.of(manifest)
        for problem in object_problems(manifest):
            place = fields.at(reference, problem.path)
            told = "" if place.exact else f" (it becomes {problem.path} of {reference})"
            limit = None if place.is_authors else _limit(fields, reference, problem)
            if limit is not None:
                told = f" (requested in {place.object or place.field})"
            place = limit or place
            where = f"{place.object}: {place.field}" if place.object else place.field
            message = f"{problem.message}{told}"
            yield Problem(where, message, problem.severity, problem.rule), place.exact


def _limit(fields: FieldMap, reference: Reference, problem: Problem) -> Place | None:
    """Return where the author writes the limit that somebody else's request exceeds, None where it is about none of the author's."""
    path = problem.path.replace(_REQUESTS, _LIMITS)
    if path == problem.path or problem.rule != ABOVE_LIMIT:
        return None
    place = fields.at(reference, path)
    return place if place.is_authors else None


def _follows(problem: Problem, first: Problem, *, exact: bool) -> bool:
    """Tell whether a problem is that of another one's value, which became a second part of a child. exact: of the problem."""
    value = first.message.partition(" ")[0]
    holder = problem.path.rpartition(".")[0] if exact else problem.path
    inside = first.path.startswith((f"{holder}.", f"{holder}["))
    # What is only near the value, and refused in the very same words, is where another part of the child has it.
    again = not exact and problem.message.startswith(f"{first.message} (")
    return (inside or again) and first.path != problem.path and value in problem.message.split()
