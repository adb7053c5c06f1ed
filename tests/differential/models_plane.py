# SPDX-License-Identifier: GPL-3.0-or-later
"""TrainedModels given to KServe's manager once their services run, taken away again, and changed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.trained_models import (
    LIMIT,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.framework import (
    model_of,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import value_at
from ansible_collections.modelops.inference.plugins.module_utils.kube.quantity import parse_quantity
from tests.lab.client import ApiError

from .batch import Outcome
from .plane import Plane

Json = dict[str, Any]
MODEL = ("serving.kserve.io/v1alpha1", "TrainedModel")
_LOOKED_AT = (("v1", "ConfigMap"), ("serving.kserve.io/v1beta1", "InferenceService"), MODEL)
ROOM = "serving.kserve.io/trainedmodel-allocated"
#: Seconds without a change after which the manager has come to an end, and after which nobody waits for it any more.
_QUIET, _PATIENCE = 3.0, 60.0
#: Services that get models side by side.
_AT_A_TIME = 8
_CHANGING = ("resourceVersion", "managedFields", "lastTransitionTime")


def give(plane: Plane, outcomes: Iterable[Outcome]) -> None:
    """Create the models of each case, then delete one that has room, then change the rest; note what is there after each."""
    admitted = [each for each in outcomes if each.refusal is None]
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        list(pool.map(lambda one: _give(plane, one), admitted))


def _give(plane: Plane, outcome: Outcome) -> None:
    case = outcome.case
    path = plane.client.path(*MODEL, case.namespace)
    for model in case.models:
        if fault := _written(plane, "POST", path, model):
            outcome.answers[model["metadata"]["name"]] = fault
    outcome.given.append(_settled(plane, case.namespace))
    gone = next((each for each in outcome.given[-1] if _has_room(each)), None)
    if gone is not None:
        plane.client.request("DELETE", f"{path}/{gone['metadata']['name']}")
        outcome.given.append(_settled(plane, case.namespace))
    if case.later is not None:
        _change(plane, outcome, case.later)
        outcome.given.append(_settled(plane, case.namespace))


def _change(plane: Plane, outcome: Outcome, later: Sequence[Json]) -> None:
    """Let the models be others: some change, some come, the rest goes."""
    path = plane.client.path(*MODEL, outcome.case.namespace)
    there = models_in(outcome.given[-1])
    for name in there.keys() - {each["metadata"]["name"] for each in later}:
        plane.client.request("DELETE", f"{path}/{name}")
    for model in later:
        name = model["metadata"]["name"]
        if name in there:
            metadata = plane.client.request("GET", f"{path}/{name}")["metadata"]
            fault = _written(plane, "PUT", f"{path}/{name}", {**model, "metadata": metadata})
        else:
            fault = _written(plane, "POST", path, model)
        if fault:
            outcome.changes[name] = fault


def _written(plane: Plane, method: str, path: str, model: Json) -> str:
    """Return why the API server refuses a model, nothing where it takes it."""
    try:
        plane.client.request(method, path, body=model, query={"fieldValidation": "Strict"})
    except ApiError as error:
        return error.message or str(error.code)
    return ""


def models_in(found: Iterable[Json]) -> dict[str, Json]:
    """Return the models among what is there, by name."""
    return {each["metadata"]["name"]: each for each in found if each["kind"] == MODEL[1]}


def _settled(plane: Plane, namespace: str) -> list[Json]:
    """Return what is there when nothing more happens."""
    found, mark = _there(plane, namespace), ""
    since, end = time.monotonic(), time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        found = _there(plane, namespace)
        last, mark = mark, json.dumps(_stable(found), sort_keys=True)
        if mark != last:
            since = time.monotonic()
        elif time.monotonic() - since > _QUIET and not _is_waiting(found):
            break
        time.sleep(0.2)
    return found


def _there(plane: Plane, namespace: str) -> list[Json]:
    found = []
    for api_version, kind in _LOOKED_AT:
        answer = plane.client.request("GET", plane.client.path(api_version, kind, namespace))
        found += [{"apiVersion": api_version, "kind": kind, **each} for each in answer["items"]]
    return found


def _is_waiting(found: Sequence[Json]) -> bool:
    """Tell whether the manager has something left to do: it looks at a model without room again after a while."""
    models = models_in(found).values()
    if any("deletionTimestamp" in each["metadata"] for each in models):
        return True
    (service,) = [each for each in found if each["kind"] == "InferenceService"]
    free = _limit(service) - sum(_memory(each) for each in models if _has_room(each))
    return any(
        len((each.get("status") or {}).get("conditions") or ()) < 4
        or (not _has_room(each) and _memory(each) <= free)
        for each in models
    )


def _has_room(model: Json) -> bool:
    return ROOM in (model["metadata"].get("labels") or {})


def _memory(model: Json) -> Any:
    return parse_quantity(model["spec"]["model"]["memory"])


def _limit(service: Json) -> Any:
    predictor = service["spec"]["predictor"]
    server = model_of(predictor)[1] or (predictor.get("containers") or [{}])[0]
    return parse_quantity(value_at(server, LIMIT) or 0)


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stable(each) for key, each in value.items() if key not in _CHANGING}
    return [_stable(each) for each in value] if isinstance(value, list) else value
