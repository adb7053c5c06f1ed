# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of every kind of service in which a key may be null, and what the API server makes of that."""

from __future__ import annotations

import copy
from typing import Any

from module_utils.kube.schema_check import child_path

Json = dict[str, Any]
#: A key, which is no variable of anything.
KEY = "example.com/nothing"
_METADATA = ("metadata.labels", "metadata.annotations")
_CONTAINER = ("resources.limits", "resources.requests")
#: By kind: where a map has the key.
MAPS: dict[str, tuple[str, ...]] = {
    "ModelService": (
        *_METADATA,
        "spec.decode.nodeSelector",
        *(f"spec.decode.{name}" for name in _CONTAINER),
    ),
    "LLMInferenceService": (
        *_METADATA,
        "spec.labels",
        "spec.annotations",
        "spec.prefill.template.nodeSelector",
        "spec.template.nodeSelector",
        "spec.template.overhead",
    ),
    "InferenceService": (
        *_METADATA,
        "spec.predictor.labels",
        "spec.predictor.annotations",
        "spec.predictor.nodeSelector",
        *(f"spec.predictor.model.{name}" for name in _CONTAINER),
        "spec.predictor.model.storage.parameters",
    ),
    "InferenceGraph": (
        *_METADATA,
        "spec.nodes",
        "spec.nodeSelector",
        *(f"spec.{name}" for name in _CONTAINER),
    ),
    "LocalModelCache": (*_METADATA, "spec.storage.parameters"),
}


def fields(kind: str) -> list[str]:
    """Return the path of each null."""
    return [child_path(each, KEY) for each in MAPS[kind]]


def with_nulls(document: Json) -> Json:
    """Return a service whose maps have a key more, which is null."""
    return _changed(document, {each: {KEY: None} for each in MAPS[document["kind"]]})


def as_stored(document: Json) -> Json:
    """Return the service that the API server takes it for: the key is an empty text in metadata, and not there in a spec."""
    return _changed(
        document, {each: {KEY: ""} if each in _METADATA else {} for each in MAPS[document["kind"]]}
    )


def _changed(document: Json, more: dict[str, Json]) -> Json:
    found = copy.deepcopy(document)
    for path, keys in more.items():
        parent = found
        for name in path.split("."):
            parent = parent.setdefault(name, {})
        parent |= keys
    return found
