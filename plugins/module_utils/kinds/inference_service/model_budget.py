# SPDX-License-Identifier: GPL-3.0-or-later
"""TrainedModels that the server of a service does not load, because its memory does not hold them."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.problem import Problem
from ...kube.quantity import format_quantity
from ...kube.text import few
from ..check import WARNING, Check, check
from ..kserve.framework import authors_field, model_of
from ..view import ServiceView
from .resolved import Resolved
from .trained_models import LIMIT, name_of

#: How many models a message names.
_NAMED = 5

BUDGET = Check(
    "trained-models-memory",
    WARNING,
    finds="all TrainedModels of the service ask for {wanted} of memory, and the predictor's limit is {limit}: {models} are not loaded",
    fix="raise the limit, or create models for another service",
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
