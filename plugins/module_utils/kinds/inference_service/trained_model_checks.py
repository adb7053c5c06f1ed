# SPDX-License-Identifier: GPL-3.0-or-later
"""TrainedModels that the server of a service does not load: its memory does not hold them, or something of them is not what it takes."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.quantity import format_quantity
from ...kube.reader import Reader
from ...kube.text import few
from ..check import WARNING, Check, check
from ..kserve.framework import authors_field, model_of
from ..view import ServiceView
from .admission.trained_model import trained_model_problems
from .resolved import Resolved
from .trained_model_service import OWN_MODEL, framework_fault
from .trained_models import LIMIT, models_of, name_of

#: How many models a message names.
_NAMED = 5

BUDGET = Check(
    "trained-models-memory",
    WARNING,
    finds="all TrainedModels of the service ask for {wanted} of memory, and the predictor's limit is {limit}, so that these are not loaded: {models}",
    fix="raise the limit, or create models for another service",
)

REFUSED = Check(
    "trained-model",
    WARNING,
    finds="TrainedModel {model}: {problem}",
    fix="correct it: KServe's webhook refuses it",
)
FRAMEWORK = Check(
    "trained-model-service",
    WARNING,
    finds="TrainedModel {model}: {fault}",
    fix="correct its framework, or name another service in it",
)
UNLOADED = Check(
    "trained-model-service",
    WARNING,
    finds="TrainedModels name this service, which " + OWN_MODEL + ": {models}",
    fix="remove the model here, or name another service in them",
)


@check(BUDGET)
def beyond_memory(view: ServiceView) -> Iterator[Problem]:
    """Yield TrainedModels for which the predictor's memory limit has no room; KServe takes a missing limit as zero."""
    resolved: Resolved = view.basis
    models = resolved.models
    if models.rest:
        predictor = resolved.service.component("predictor") or {}
        field = "model" if model_of(predictor)[0] else "containers[0]"
        yield BUDGET.at(
            authors_field(f"spec.predictor.{field}.{'.'.join(LIMIT)}", view.document),
            models=few([name_of(each) for each in models.rest], _NAMED),
            wanted=format_quantity(models.wanted, "BinarySI"),
            limit=format_quantity(models.limit, "BinarySI"),
        )


@check(REFUSED)
def refused(view: ServiceView) -> Iterator[Problem]:
    """Yield TrainedModels of the service that KServe's webhook would refuse."""
    for model in _models(view):
        for problem in trained_model_problems(model):
            yield REFUSED.at(_server(view), model=name_of(model), problem=problem)


@check(FRAMEWORK)
def framework(view: ServiceView) -> Iterator[Problem]:
    """Yield TrainedModels whose framework the runtime of the service does not name."""
    resolved: Resolved = view.basis
    runtime = resolved.components.runtime
    for model in _models(view) if runtime else ():
        if runtime and (fault := framework_fault(model, runtime)):
            yield FRAMEWORK.at(_server(view), model=name_of(model), fault=fault)


@check(UNLOADED, reads=("TrainedModels",))
def unloaded(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield TrainedModels that name a service which loads none."""
    resolved: Resolved = view.basis
    if any(component.multi_model for component in resolved.components.items):
        return
    if models := models_of(resolved.service, reader):
        yield UNLOADED.at(_server(view), models=few([name_of(each) for each in models], _NAMED))


def _models(view: ServiceView) -> tuple[Json, ...]:
    resolved: Resolved = view.basis
    return (*resolved.models.loaded, *resolved.models.rest)


def _server(view: ServiceView) -> str:
    """Return the field of a service that says what serves its models."""
    resolved: Resolved = view.basis
    field = model_of(resolved.service.component("predictor") or {})[0]
    return authors_field(f"spec.predictor.{'model' if field else 'containers'}", view.document)


#: What is looked at for services of this kind.
CHECKS = (beyond_memory, refused, framework, unloaded)
