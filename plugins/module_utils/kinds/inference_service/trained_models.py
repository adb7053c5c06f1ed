# SPDX-License-Identifier: GPL-3.0-or-later
"""TrainedModels: which of them the server of a service is told to load, and the text that tells it.

Source: KServe pkg/controller/v1alpha1/trainedmodel/controller.go, pkg/modelconfig/configmap.go@v0.17.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...kube import gvk
from ...kube.go_json import go_json
from ...kube.manifest import Json, value_at
from ...kube.quantity import canonical_quantity, parse_quantity
from ...kube.reader import Reader
from ..kserve.framework import model_of
from .child_kinds import TRAINED_MODEL
from .pods.component import Components
from .spec import InferenceService

#: By which KServe's controller notes that a service has room for a model.
_ROOM = "serving.kserve.io/trainedmodel-allocated"
_MEMORY = ("spec", "model", "memory")
LIMIT = ("resources", "limits", "memory")
#: In the order in which KServe writes them.
_FIELDS = ("storageUri", "framework", "memory")


@dataclass(frozen=True, slots=True)
class TrainedModels:
    """The TrainedModels of a service. limit: the memory of its predictor. loaded: those that fit into it. rest: the others."""

    limit: Fraction
    loaded: tuple[Json, ...] = ()
    rest: tuple[Json, ...] = ()

    @property
    def wanted(self) -> Fraction:
        """The memory that all of them ask for."""
        return sum(map(_memory, (*self.loaded, *self.rest)), Fraction(0))


#: Those of a service that was not looked at.
NO_MODELS = TrainedModels(Fraction(0))


def trained_models(
    service: InferenceService, components: Components, reader: Reader
) -> TrainedModels:
    """Return the TrainedModels of a service; those of a predictor with a model of its own are not looked at.

    Whom KServe's controller gave room comes first, then the oldest, so that a new one takes no room from others.
    A predictor without a limit has no room, as for KServe.
    """
    if not any(component.multi_model for component in components.items):
        return NO_MODELS
    loaded: list[Json] = []
    rest: list[Json] = []
    room = limit = _limit(service)
    for model in sorted(models_of(service, reader), key=_turn):
        fits = _memory(model) <= room
        (loaded if fits else rest).append(model)
        room -= _memory(model) if fits else 0
    return TrainedModels(limit, tuple(loaded), tuple(rest))


def models_of(service: InferenceService, reader: Reader) -> list[Json]:
    """Return the TrainedModels that name a service and stay."""
    found: Sequence[Json] = reader.list(gvk.KSERVE_V1ALPHA1, TRAINED_MODEL, service.namespace, {})
    return [
        each
        for each in found
        if value_at(each, ("spec", "inferenceService")) == service.name
        and not each["metadata"].get("deletionTimestamp")
    ]


def models_json(models: Iterable[Json], before: str) -> str:
    """Return the list of models that the agent beside the server reads. before: the present list, which stays where it says the same.

    KServe's controller writes the models in any order.
    """
    wanted = [_entry(model) for model in sorted(models, key=name_of)]
    return before if _by_name(before) == wanted else go_json(wanted)


def name_of(model: Json) -> str:
    """Return the name under which a model is served."""
    return str(model["metadata"]["name"])


def _turn(model: Json) -> tuple[bool, str, str]:
    metadata = model["metadata"]
    given_room = _ROOM in (metadata.get("labels") or {})
    return not given_room, str(metadata.get("creationTimestamp") or ""), name_of(model)


def _entry(model: Json) -> Json:
    given = model["spec"]["model"]
    spec = {**given, "memory": canonical_quantity(given["memory"])}
    return {"modelName": name_of(model), "modelSpec": {field: spec[field] for field in _FIELDS}}


def _by_name(text: str) -> list[Any] | None:
    """Return the entries of a list by name, None where the text is no such list."""
    try:
        return sorted(json.loads(text), key=lambda entry: str(entry["modelName"]))
    except (ValueError, TypeError, KeyError):
        return None


def _limit(service: InferenceService) -> Fraction:
    predictor = service.component("predictor") or {}
    container = model_of(predictor)[1] or next(iter(predictor.get("containers") or ()), {})
    return _amount(value_at(container, LIMIT))


def _memory(model: Json) -> Fraction:
    return _amount(value_at(model, _MEMORY))


def _amount(value: Any) -> Fraction:
    return parse_quantity(value) if value is not None else Fraction(0)
