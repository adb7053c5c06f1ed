# SPDX-License-Identifier: GPL-3.0-or-later
"""What canaries may say. Source: KServe pkg/apis/serving/v1beta1/inference_service_validation.go@v0.20.0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ...kserve.modes import MODE_ANNOTATION, STANDARD
from ...kserve.releases import KServe
from ..implementations import storage_uri
from ..names import Role
from ..spec import InferenceService
from .components import component_problems
from .confidential import confidential_problems
from .environment import environment_problems
from .extension import extension_problems
from .storage import storage_problems

_ROLE: Role = "predictor"
_ALL = 100
#: Fields that would scale a canary, or put it onto several nodes.
_FIXED = ("maxReplicas", "scaleTarget", "scaleMetric", "autoScaling")


def canary_problems(spec: Json, mode: str, release: KServe) -> Iterator[Problem]:
    """Yield what is wrong with the canaries of a service. mode: as its annotation says it."""
    found = [each for each in spec.get("canary") or () if each.get(_ROLE) is not None]
    stable = spec[_ROLE]
    taken = {str(stable.get("name") or "")}
    for number, each in enumerate(found):
        predictor, path = each[_ROLE], f"spec.canary[{number}].{_ROLE}"
        name = predictor.get("name")
        if name is None:
            yield _problem(f"{path}.name", "missing: the objects of the canary are called by it")
        elif name in taken:
            whose = "the predictor" if name == stable.get("name") else "another canary"
            yield _problem(f"{path}.name", f"{show(name)} is the name of {whose}, too")
        taken.add(name)
        yield from _fixed(predictor, stable, path)
        yield from _of_predictor(predictor, path, mode, release)
    total = sum(each.get("trafficPercent") or 0 for each in found)
    if total > _ALL:
        message = (
            f"the canaries get {total} percent of the requests together; at most {_ALL} are there"
        )
        yield _problem("spec.canary", message)


def canary_mode_problems(service: InferenceService) -> Iterator[Problem]:
    """Yield why a service has no canaries under a configuration. service: with all defaults."""
    if not service.spec.get("canary"):
        return
    if service.annotations.get(MODE_ANNOTATION) != STANDARD:
        message = f"only services in {STANDARD} mode have canaries; annotate this one with {MODE_ANNOTATION}: {STANDARD}"
        yield _problem("spec.canary", message)
    predictor = service.spec[_ROLE]
    if predictor.get("model") is None and storage_uri(predictor, _ROLE) is None:
        message = "the predictor beside canaries needs a model of its own: give it model, or STORAGE_URI in its container"
        yield _problem("spec.canary", message)


def _fixed(predictor: Json, stable: Json, path: str) -> Iterator[Problem]:
    """Yield what a canary cannot have: it has a fixed number of pods on one node, not more than its predictor."""
    for field in _FIXED:
        if predictor.get(field) not in (None, 0):
            message = "a canary has a fixed number of pods: leave it out, and set minReplicas"
            yield _problem(f"{path}.{field}", message)
    if predictor.get("workerSpec") is not None:
        yield _problem(f"{path}.workerSpec", "a canary runs on one node: leave it out")
    least, most = predictor.get("minReplicas"), stable.get("minReplicas", 1)
    if least is not None and least > most:
        message = f"{least} is more than minReplicas of the predictor, which is {most}"
        yield _problem(f"{path}.minReplicas", message)


def _of_predictor(predictor: Json, path: str, mode: str, release: KServe) -> Iterator[Problem]:
    """Yield what is wrong with a canary as with any predictor, at its own fields."""
    for each in (
        *confidential_problems(predictor),
        *component_problems(predictor, _ROLE),
        *extension_problems(predictor, _ROLE),
        *environment_problems(predictor, _ROLE, release),
        *storage_problems(predictor, _ROLE, mode),
    ):
        yield replace(each, path=f"{path}{each.path.removeprefix(f'spec.{_ROLE}')}")


def _problem(path: str, message: str) -> Problem:
    return Problem(path, message, rule="canary")
