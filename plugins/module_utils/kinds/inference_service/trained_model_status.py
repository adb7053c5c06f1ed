# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of the TrainedModels of a service: whether its server loads them, and where each is called.

Source: KServe pkg/controller/v1alpha1/trainedmodel/controller.go, pkg/apis/serving/v1alpha1/trained_model_status.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.condition import Condition, Truth
from ...kube.fields import filled
from ...kube.manifest import Json, value_at
from ..kind import Answered
from ..kserve.framework import model_of
from ..protocols import V1, V2
from .implementations import variable
from .resolved import Resolved
from .trained_models import name_of

_NOT_READY = Condition(
    "InferenceServiceReady",
    "False",
    "InferenceServiceNotReady",
    "Inference Service needs to be ready before Trained Model can be ready",
)
_NO_ROOM = Condition(
    "MemoryResourceAvailable",
    "False",
    "MemoryResourceNotAvailable",
    "Inference Service does not have enough memory resources for Trained Model",
)
_PATHS = {"v1": V1, "v2": V2}


def answered(resolved: Resolved, status: Json, *, ready: bool) -> Iterator[Answered]:
    """Yield the service's TrainedModels, each with its status. status: of the service. ready: what it says of itself."""
    models = resolved.models
    for model in models.loaded:
        yield Answered(model, _status(resolved, model, status, _conditions(ready, has_room=True)))
    for model in models.rest:
        yield Answered(model, _status(resolved, model, status, _conditions(ready, has_room=False)))


def _status(
    resolved: Resolved, model: Json, status: Json, conditions: tuple[Condition, ...]
) -> Json:
    """Return the status of a model. Only one that is ready says where it is called."""
    said = {"conditions": [filled(each.to_dict()) for each in conditions]}
    if any(each.status == "False" for each in conditions):
        return said
    path = _path(resolved, name_of(model))
    url, address = status.get("url"), value_at(status, ("address", "url"))
    return said | filled(
        {
            "url": f"{url}{path}" if url else "",
            "address": {"url": f"{address}{path}"} if address else {},
        }
    )


def _conditions(ready: bool, *, has_room: bool) -> tuple[Condition, ...]:
    """Return the conditions by type. Ready repeats the last one that says no."""
    service = _true(_NOT_READY.type) if ready else _NOT_READY
    memory = _true(_NO_ROOM.type) if has_room else _NO_ROOM
    lacking = [each for each in (memory, service) if each.status == "False"]
    said = lacking[0] if lacking else memory
    whole = Condition("Ready", said.status, said.reason, said.message)
    return service, _true("IsMMSPredictor"), memory, whole


def _true(kind: str) -> Condition:
    status: Truth = "True"
    return Condition(kind, status, "", "")


def _path(resolved: Resolved, name: str) -> str:
    """Return the path of a request to a model, empty for a protocol without one."""
    predictor = resolved.service.component("predictor") or {}
    dummy, model = model_of(predictor)
    containers = predictor.get("containers") or ()
    spoken = (
        (model.get("protocolVersion") or "v1")
        if model is not None
        else next((said for one in containers if (said := variable(one, "PROTOCOL"))), "v1")
    )
    protocol = _PATHS.get(spoken)
    return protocol.call_path(name) if protocol else ""
