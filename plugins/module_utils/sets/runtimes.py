# SPDX-License-Identifier: GPL-3.0-or-later
"""ServingRuntimes and ClusterServingRuntimes of a set, judged as KServe's webhook judges them, with or without it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ..kinds.inference_service.input_schemas import shapes
from ..kinds.inference_service.runtimes.admission import runtime_problems
from ..kinds.inference_service.runtimes.runtime import as_runtime
from ..kinds.kserve.releases import KServe
from ..kube.input_schemas import input_problems
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference

#: Asks for the runtimes of a kind that a cluster has.
Listed = Callable[[str], Sequence[Json]]
#: Which devices are GPUs is said by KServe's configuration, which a set need not know.
_UNSURE = frozenset({"gpu-type"})


def refused_runtimes(
    wanted: Sequence[Json],
    written: Collection[Reference],
    there: Listed,
) -> dict[Reference, list[Problem]]:
    """Return by runtime what the webhook would refuse of it, and warnings.

    wanted: the runtimes of the set. written: those of its objects that are written; of others nothing is told. there: asked for no
    kind of which none is written.
    """
    found: dict[Reference, list[Problem]] = {}
    runtimes = {Reference.of(each): each for each in wanted}
    live: dict[str, Mapping[Reference, Json]] = {}
    for reference in [each for each in runtimes if each in written]:
        if reference.kind not in live:
            live[reference.kind] = {Reference.of(each): each for each in there(reference.kind)}
        around = {**live[reference.kind], **runtimes}
        before = live[reference.kind].get(reference)
        if problems := list(_problems(reference, runtimes[reference], around, before)):
            found[reference] = problems
    return found


def _problems(
    reference: Reference, manifest: Json, around: Mapping[Reference, Json], before: Json | None
) -> Iterator[Problem]:
    """Yield what is wrong with one runtime. around: all of its kind and others, as they will be."""
    misshapen = list(input_problems(manifest, shapes()))
    if misshapen:
        yield from misshapen
        return
    neighbours = [
        as_runtime(each.kind, other)
        for each, other in around.items()
        if (each.kind, each.namespace) == (reference.kind, reference.namespace)
        and not any(True for dummy in input_problems(other, shapes()))
    ]
    for problem in runtime_problems(
        as_runtime(reference.kind, manifest),
        neighbours,
        KServe.V0_17,
        before=(before or {}).get("spec"),
    ):
        unsure = problem.rule in _UNSURE
        yield replace(problem, severity="warning") if unsure else problem
