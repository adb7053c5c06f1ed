# SPDX-License-Identifier: GPL-3.0-or-later
"""How loading a custom resource of KServe ends: what was found, and the typed service where nothing of it is an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypedDict, TypeVar

from ...kube.envelope import Envelope
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.schema_check import related
from ..kind import Loaded
from .service import KServeService

S = TypeVar("S", bound=KServeService)


class Outside(TypedDict):
    """What a `KServeService` is made of."""

    document: Json
    name: str
    namespace: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


def outside(applied: Json, envelope: Envelope) -> Outside:
    """Return the outside of a service. applied: the custom resource as it gets applied."""
    return {
        "document": applied,
        "name": envelope.name,
        "namespace": envelope.namespace,
        "labels": envelope.labels,
        "annotations": applied["metadata"].get("annotations") or {},
    }


def loaded(
    found: Sequence[Problem],
    judged: Iterable[Problem],
    make: Callable[[], S],
    whole: frozenset[str] = frozenset(),
) -> Loaded[S]:
    """Return what a custom resource came to.

    found: about the form of its fields. judged: what its rules say; nothing is reported twice of a field whose form is wrong.
    whole: fields about which form says nothing of the fields in them. make: called where nothing is an error.
    """
    wrong = [problem.path for problem in found if problem.severity == "error"]
    broken = [path for path in wrong if path not in whole]
    problems = (*found, *(each for each in judged if not related(each.path, broken)))
    failed = any(problem.severity == "error" for problem in problems)
    return Loaded(None if failed else make(), problems)
