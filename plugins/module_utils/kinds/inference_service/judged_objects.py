# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are beside InferenceServices, judged as KServe's webhooks judge them, with or without these: runtimes, TrainedModels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...kube import gvk
from ...kube.input_schemas import input_problems
from ...kube.manifest import Json
from ...kube.names import check_dns_subdomain
from ...kube.problem import Problem
from ...kube.reader import Lookup, NotAllowed, Reader
from ...kube.reference import Reference
from .admission.trained_model import memory_doubts, trained_model_problems
from .child_kinds import TRAINED_MODEL
from .input_schemas import shapes
from .runtimes.admission import runtime_problems
from .runtimes.runtime import API_VERSION, CLUSTER, NAMESPACED, as_runtime
from .settings import Settings
from .trained_model_service import service_problems

#: Which devices are GPUs is said by KServe's configuration, which is not known here.
_UNSURE = frozenset({"gpu-type"})


def judged_objects(
    wanted: Iterable[Json], around: Reader, before: Lookup, settings: Settings
) -> dict[Reference, list[Problem]]:
    """Return by object what the webhooks would refuse of it, and warnings; objects of other kinds are passed over.

    around: shows the objects among all others, as they will be. before: shows them as they are.
    """
    found: dict[Reference, list[Problem]] = {}
    for manifest in wanted:
        reference = Reference.of(manifest)
        kind = (reference.api_version, reference.kind)
        if kind in ((API_VERSION, NAMESPACED), (API_VERSION, CLUSTER)):
            judged = _runtime(reference, manifest, around, before, settings)
        elif kind == (gvk.KSERVE_V1ALPHA1, TRAINED_MODEL):
            judged = _trained_model(manifest, around, before.get(reference), settings)
        else:
            continue
        misshapen = list(input_problems(manifest, shapes()))
        if problems := [*_named(reference), *(misshapen or judged)]:
            found[reference] = problems
    return found


def _named(reference: Reference) -> Iterator[Problem]:
    if fault := check_dns_subdomain(reference.name):
        yield Problem("metadata.name", fault)


def _runtime(
    reference: Reference, manifest: Json, around: Reader, before: Lookup, settings: Settings
) -> Iterator[Problem]:
    listed = around.list(reference.api_version, reference.kind, reference.namespace, {})
    neighbours = [
        as_runtime(reference.kind, each)
        for each in listed
        if Reference.of(each).namespace == reference.namespace
        and not any(True for dummy in input_problems(each, shapes()))
    ]
    runtime, spec = as_runtime(reference.kind, manifest), (before.get(reference) or {}).get("spec")
    for problem in runtime_problems(runtime, neighbours, settings.release, before=spec):
        unsure = problem.rule in _UNSURE
        yield replace(problem, severity="warning") if unsure else problem


def _trained_model(
    manifest: Json, around: Reader, before: Json | None, settings: Settings
) -> Iterator[Problem]:
    yield from trained_model_problems(manifest, before)
    yield from memory_doubts(manifest)
    try:
        yield from service_problems(manifest, around, settings)
    except NotAllowed as error:
        message = f"whether its service loads it was not checked: {error}"
        yield Problem("spec.inferenceService", message, "warning", "could-not-look")
