# SPDX-License-Identifier: GPL-3.0-or-later
"""An LLMInferenceService or LLMInferenceServiceConfig in the other version of its API.

Two things differ. v1alpha1 has `criticality`, which v1alpha2 keeps in annotations; and the pool of a scheduler has the
shape of its own API group. What the other version cannot hold is an error here, where KServe drops it or crashes.
Source: KServe pkg/apis/serving/v1alpha1/llm_inference_service_conversion.go@v0.17.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...kube.manifest import Json, copied, value_at
from ..kserve.service import GROUP
from .spec import API_VERSION, CONFIG_KIND, KIND

OLD_API_VERSION = f"{GROUP}/v1alpha1"
MODEL_CRITICALITY = "internal.serving.kserve.io/model-criticality"
#: A JSON object: number of the adapter, as text → its criticality.
LORA_CRITICALITIES = "internal.serving.kserve.io/lora-criticalities"

_POOL = ("router", "scheduler", "pool")
_PICKER_FIELDS = ("group", "kind", "name", "failureMode")


def to_v1alpha2(document: Mapping[str, Any]) -> Json:
    """Return a custom resource in v1alpha2. The given one is not changed; one that is in v1alpha2 is copied.

    Raises ValueError for another kind or version, and for a part that has not the shape that its version gives it.
    """
    converted, version = _copy(document)
    if version == API_VERSION:
        return converted
    converted["apiVersion"] = API_VERSION
    kept: dict[str, str] = {}
    model = value_at(converted, ("spec", "model"))
    if isinstance(model, dict):
        criticality = model.pop("criticality", None)
        if criticality:
            kept[MODEL_CRITICALITY] = criticality
        adapters = {
            str(number): found
            for number, adapter in enumerate(_adapters(model))
            if (found := adapter.pop("criticality", None))
        }
        if adapters:
            kept[LORA_CRITICALITIES] = json.dumps(adapters, separators=(",", ":"), sort_keys=True)
    if kept:
        metadata = converted.setdefault("metadata", {})
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **kept}
    _convert_pool(converted, _pool_to_v1)
    return converted


def to_v1alpha1(document: Mapping[str, Any]) -> Json:
    """Return a custom resource in v1alpha1, otherwise like `to_v1alpha2`.

    Raises ValueError also for a pool with more than one port, since v1alpha1 holds only one.
    """
    converted, version = _copy(document)
    if version == OLD_API_VERSION:
        return converted
    converted["apiVersion"] = OLD_API_VERSION
    annotations = value_at(converted, ("metadata", "annotations"))
    if isinstance(annotations, dict):
        _restore(converted, annotations)
        if not annotations:
            del converted["metadata"]["annotations"]
    _convert_pool(converted, _pool_to_v1alpha2)
    return converted


def _copy(document: Mapping[str, Any]) -> tuple[Json, str]:
    version, kind = document.get("apiVersion"), document.get("kind")
    if kind not in (KIND, CONFIG_KIND):
        raise ValueError(f"kind: {json.dumps(kind)} is neither {KIND} nor {CONFIG_KIND}")
    if version not in (OLD_API_VERSION, API_VERSION):
        raise ValueError(
            f"apiVersion: {json.dumps(version)} is neither {OLD_API_VERSION} nor {API_VERSION}"
        )
    return copied(dict(document)), version


def _adapters(model: Json) -> list[Json]:
    """Return the adapters that can be read; the API takes any shape there."""
    adapters = value_at(model, ("lora", "adapters"))
    if not isinstance(adapters, list):
        return []
    return [adapter if isinstance(adapter, dict) else {} for adapter in adapters]


def _restore(converted: Json, annotations: Json) -> None:
    """Move criticalities from annotations to where v1alpha1 has them. One that cannot be read is dropped, as KServe does."""
    model_criticality = annotations.pop(MODEL_CRITICALITY, None)
    text = annotations.pop(LORA_CRITICALITIES, None)
    model = value_at(converted, ("spec", "model"))
    if not isinstance(model, dict):
        return
    if model_criticality:
        model["criticality"] = model_criticality
    try:
        criticalities = json.loads(text) if text else {}
    except ValueError:
        return
    if isinstance(criticalities, dict):
        for number, adapter in enumerate(_adapters(model)):
            if str(number) in criticalities:
                adapter["criticality"] = criticalities[str(number)]


def _convert_pool(converted: Json, convert: Any) -> None:
    pool = value_at(converted, ("spec", *_POOL))
    if isinstance(pool, dict) and isinstance(pool.get("spec"), dict):
        pool["spec"] = convert(pool["spec"])


def _wanted(value: Any, kind: type, field: str) -> Any:
    """Return a part of a pool; None where it is not there. Raises ValueError where it has another shape."""
    if value is not None and not isinstance(value, kind):
        shape = "list" if kind is list else "map of fields"
        path = ".".join(("spec", *_POOL, "spec", field))
        raise ValueError(f"{path}: {json.dumps(value, default=str)} is not a {shape}")
    return value


def _pool_to_v1(spec: Json) -> Json:
    converted: Json = {}
    if "selector" in spec:
        converted["selector"] = {"matchLabels": spec["selector"]}
    if "targetPortNumber" in spec:
        converted["targetPorts"] = [{"number": spec["targetPortNumber"]}]
    picker = _wanted(spec.get("extensionRef"), dict, "extensionRef")
    if picker is not None:
        port = {"port": {"number": picker["portNumber"]}} if "portNumber" in picker else {}
        converted["endpointPickerRef"] = {**_named(picker), **port}
    return converted


def _pool_to_v1alpha2(spec: Json) -> Json:
    converted: Json = {}
    selector = _wanted(spec.get("selector"), dict, "selector")
    if selector is not None:
        converted["selector"] = selector.get("matchLabels", {})
    ports = _wanted(spec.get("targetPorts"), list, "targetPorts")
    if ports is not None:
        converted["targetPortNumber"] = _only_port(ports)
    picker = _wanted(spec.get("endpointPickerRef"), dict, "endpointPickerRef")
    if picker is not None:
        number = value_at(picker, ("port", "number"))
        port = {} if number is None else {"portNumber": number}
        converted["extensionRef"] = {**_named(picker), **port}
    return converted


def _only_port(ports: list[Any]) -> Any:
    if len(ports) != 1 or not isinstance(ports[0], dict) or "number" not in ports[0]:
        path = ".".join(("spec", *_POOL, "spec", "targetPorts"))
        raise ValueError(
            f"{path}: {json.dumps(ports, default=str)} is not one port; v1alpha1 holds exactly one"
        )
    return ports[0]["number"]


def _named(picker: Json) -> Json:
    return {field: picker[field] for field in _PICKER_FIELDS if field in picker}
