# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would refuse of the children of a service, told where their author says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.validation.objects import object_problems
from .field_map import FieldMap


def api_problems(fields: FieldMap, manifests: Iterable[Json]) -> list[Problem]:
    """Return what would be refused of children, each finding once. fields: the map of their service."""
    return list(dict.fromkeys(_problems(fields, manifests)))


def _problems(fields: FieldMap, manifests: Iterable[Json]) -> Iterator[Problem]:
    for manifest in manifests:
        reference = Reference.of(manifest)
        for problem in object_problems(manifest):
            place = fields.at(reference, problem.path)
            where = f"{place.object}: {place.field}" if place.object else place.field
            told = "" if place.exact else f" (it becomes {problem.path} of {reference})"
            yield Problem(where, f"{problem.message}{told}", problem.severity, problem.rule)
