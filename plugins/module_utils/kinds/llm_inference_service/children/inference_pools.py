# SPDX-License-Identifier: GPL-3.0-or-later
"""The InferencePools that tell gateways which pods serve: one in the API's old group, one in its new, under one name.

Gateways know one or the other. Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go,
pkg/apis/serving/v1alpha1/llm_inference_service_conversion.go@v0.17.0.
"""

from __future__ import annotations

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest, value_at
from ....kube.reader import Reader
from .. import labels, names
from ..resolved import Resolved

API_VERSION = gvk.POOL
OLD_API_VERSION = gvk.OLD_POOL
_PICKER_FIELDS = ("group", "kind", "name", "failureMode")


def inference_pool(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the pool as the spec has it, None where the pool is somebody else's."""
    return _pool(resolved, API_VERSION, _spec(resolved)) if resolved.managed_picker else None


def old_inference_pool(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the pool in the old group."""
    if not resolved.managed_picker:
        return None
    return _pool(resolved, OLD_API_VERSION, as_old_pool(_spec(resolved)))


def as_old_pool(spec: Json) -> Json:
    """Return a pool's spec in the shape of the old group, which holds one port: the first."""
    ports = spec.get("targetPorts") or []
    picker = spec.get("endpointPickerRef")
    converted: Json = {"selector": value_at(spec, ("selector", "matchLabels"))}
    if ports:
        converted["targetPortNumber"] = ports[0].get("number")
    if picker is not None:
        named = {field: picker[field] for field in _PICKER_FIELDS if field in picker}
        converted["extensionRef"] = {
            **named,
            **filled({"portNumber": value_at(picker, ("port", "number"))}),
        }
    return filled(converted)


def _spec(resolved: Resolved) -> Json:
    return resolved.at("router", "scheduler", "pool", "spec") or {}


def _pool(resolved: Resolved, api_version: str, spec: Json) -> Child:
    return Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version=api_version,
            kind="InferencePool",
            name=names.inference_pool(resolved.name),
            namespace=resolved.namespace,
            labels=labels.picker(resolved.name),
            body={"spec": spec},
        ),
    )
