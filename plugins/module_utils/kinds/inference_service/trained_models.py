# SPDX-License-Identifier: GPL-3.0-or-later
"""TrainedModels of a multi-model predictor: which of them its server does not load, and why.

Source: KServe pkg/controller/v1alpha1/trainedmodel/controller.go, pkg/modelconfig/configmap.go@v0.17.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from ...kube import gvk
from ...kube.manifest import Json, value_at
from ...kube.problem import Problem
from ...kube.quantity import format_quantity, parse_quantity
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.text import few
from ..check import WARNING, Check, check
from ..kserve.framework import authors_field, model_of
from ..view import ServiceView
from . import names
from .child_kinds import TRAINED_MODEL
from .resolved import Resolved

#: The key of the ConfigMap that lists the models.
MODELS = "models.json"
#: How many models a message names.
_NAMED = 5
_MEMORY = ("resources", "limits", "memory")

UNLISTED = Check(
    "trained-models",
    WARNING,
    finds="ConfigMap {place} does not list the TrainedModels {models}, so the server does not load them",
    fix=f"run KServe's controller manager, which lists them, or write them into {MODELS} of the ConfigMap",
)
BUDGET = Check(
    "trained-models-memory",
    WARNING,
    finds="the TrainedModels {models} ask for {wanted} of memory, and the predictor's limit is {limit}: KServe does not list all of them",
    fix="raise the limit, or create models for another service",
)


@check(UNLISTED, reads=("TrainedModels", "ConfigMaps"))
def unlisted(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield TrainedModels that the ConfigMap of the predictor's agent does not list."""
    service = _resolved(view).service
    config = Reference("v1", "ConfigMap", service.namespace, names.model_config(service.name))
    models = _models(view, reader)
    listed = _listed(reader.get(config)) if models else frozenset()
    missing = [name for name in models if name not in listed]
    if missing:
        shown = few(missing, _NAMED)
        yield UNLISTED.at("spec.predictor", place=config.full_name, models=shown)


@check(BUDGET, reads=("TrainedModels",))
def beyond_memory(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield TrainedModels that need more memory than the predictor's limit; KServe takes a missing limit as zero."""
    models = _models(view, reader)
    amounts = [value_at(each, ("spec", "model", "memory")) for each in models.values()]
    wanted = sum(map(_amount, amounts), Fraction(0))
    predictor = _resolved(view).service.component("predictor") or {}
    container = model_of(predictor)[1] or next(iter(predictor.get("containers") or ()), {})
    limit = _amount(value_at(container, _MEMORY))
    if wanted > limit:
        field = "model" if model_of(predictor)[0] else "containers[0]"
        yield BUDGET.at(
            authors_field(f"spec.predictor.{field}.{'.'.join(_MEMORY)}", view.document),
            models=few(list(models), _NAMED),
            wanted=format_quantity(wanted, "BinarySI"),
            limit=format_quantity(limit, "BinarySI"),
        )


def _resolved(view: ServiceView) -> Resolved:
    resolved: Resolved = view.basis
    return resolved


def _models(view: ServiceView, reader: Reader) -> dict[str, Json]:
    """Return the TrainedModels of a service by name; those of a predictor with a model of its own are not looked at."""
    resolved = _resolved(view)
    if not any(component.multi_model for component in resolved.components.items):
        return {}
    service = resolved.service
    found: Sequence[Json] = reader.list(gvk.KSERVE_V1ALPHA1, TRAINED_MODEL, service.namespace, {})
    return {
        each["metadata"]["name"]: each
        for each in found
        if value_at(each, ("spec", "inferenceService")) == service.name
        and not each["metadata"].get("deletionTimestamp")
    }


def _listed(config: Json | None) -> frozenset[str]:
    """Return the models that a ConfigMap lists; of text that is no such list, none."""
    try:
        entries = json.loads(str(value_at(config or {}, ("data", MODELS)) or "[]"))
    except ValueError:
        return frozenset()
    entries = entries if isinstance(entries, list) else []
    return frozenset(str(each.get("modelName")) for each in entries if isinstance(each, dict))


def _amount(value: Any) -> Fraction:
    try:
        return parse_quantity(value) if value is not None else Fraction(0)
    except (ValueError, TypeError):
        return Fraction(0)
