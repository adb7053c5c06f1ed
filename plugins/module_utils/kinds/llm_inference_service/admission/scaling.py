# SPDX-License-Identifier: GPL-3.0-or-later
"""Scaling that cannot be. On admission the CRD says it first (scaling_schema.py); of merged specs these rules speak.

Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.17.0 and at aaac4e294dae.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kube.manifest import Json, value_at
from ....kube.release import Since
from ...kserve.releases import KServe
from .field_error import FieldError
from .workloads import workloads

_COST = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
#: Whether decode and prefill must scale by the same means.
_WANTS_ONE_MEANS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})
#: Whether KEDA may scale by triggers of the author's.
_KEDA_ALONE: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})
_MODIFIERS = ("formula", "target", "activationTarget", "metricType")


def errors(spec: Json, release: KServe) -> Iterator[FieldError]:
    """Yield what is wrong with the scaling of both workloads."""
    for path, workload in workloads(spec):
        scaling = workload.get("scaling")
        if scaling is not None:
            if "replicas" in workload:
                detail = (
                    "scaling and replicas are mutually exclusive; use scaling for autoscaled deployments "
                    "or replicas for static deployments"
                )
                yield FieldError("Invalid", f"{path}.scaling", detail, scaling)
            yield from _bounds(f"{path}.scaling", scaling)
            if _KEDA_ALONE.at(release):
                yield from _means(f"{path}.scaling", scaling)
            else:
                yield from _actuator(f"{path}.scaling", scaling)


def mixed(spec: Json, release: KServe) -> Iterator[FieldError]:
    """Yield that decode and prefill scale by different means, where the release refuses that."""
    if not _WANTS_ONE_MEANS.at(release):
        return
    ways = [(path, each) for path, workload in workloads(spec) if (each := workload.get("scaling"))]
    alone = ["direct keda" if "keda" in scaling else "wva" for dummy, scaling in ways]
    if len(set(alone)) > 1:
        path, value = ways[1]
        told = f"decode uses {alone[0]} but prefill uses {alone[1]}"
        detail = f"decode and prefill must use the same scaling mode; {told}"
        yield FieldError("Invalid", f"{path}.scaling", detail, value)
        return
    used = [
        (path, autoscaler, "hpa" if "hpa" in autoscaler else "keda")
        for path, workload in workloads(spec)
        if (autoscaler := (workload.get("scaling") or {}).get("wva")) is not None
    ]
    if len({means for dummy, dummy2, means in used}) > 1:
        (dummy, dummy2, decode), (path, value, prefill) = used
        yield FieldError(
            "Invalid",
            f"{path}.scaling.wva",
            f"decode and prefill must use the same actuator backend; decode uses {decode} but prefill uses {prefill} — "
            "mixing backends requires two separate metric pipelines and leads to independent, unsynchronised scaling decisions",
            value,
        )


def _bounds(path: str, scaling: Json) -> Iterator[FieldError]:
    low, high = scaling.get("minReplicas"), scaling.get("maxReplicas")
    if high is None:
        detail = "maxReplicas is required when scaling is configured"
        yield FieldError("Required", f"{path}.maxReplicas", detail)
    elif low is not None and low > high:
        detail = f"minReplicas ({low}) cannot exceed maxReplicas ({high})"
        yield FieldError("Invalid", f"{path}.minReplicas", detail, low)


def _means(path: str, scaling: Json) -> Iterator[FieldError]:
    """Yield what is wrong with what scales the pods, where that may be KEDA alone."""
    keda = scaling.get("keda")
    if "wva" in scaling and keda is not None:
        detail = "wva and keda are mutually exclusive; choose one scaling mechanism"
        yield FieldError("Invalid", path, detail, scaling)
    elif keda is not None:
        where = f"{path}.keda"
        if not keda.get("triggers"):
            detail = "at least one trigger is required when using direct KEDA scaling"
            yield FieldError("Required", f"{where}.triggers", detail)
        yield from _name(where, keda)
        yield from _idle(path, where, keda, scaling.get("minReplicas"))
    elif "wva" in scaling:
        yield from _actuator(path, scaling)
    else:
        detail = "either wva or keda must be specified when scaling is configured"
        yield FieldError("Required", path, detail)


def _actuator(path: str, scaling: Json) -> Iterator[FieldError]:
    autoscaler = scaling.get("wva")
    where = f"{path}.wva"
    if autoscaler is None:
        detail = "wva is required when scaling is configured; it provides the autoscaling mechanism"
        yield FieldError("Required", where, detail)
        return
    if "hpa" in autoscaler and "keda" in autoscaler:
        detail = "hpa and keda are mutually exclusive; choose one actuator backend"
        yield FieldError("Invalid", where, detail, autoscaler)
    if "hpa" not in autoscaler and "keda" not in autoscaler:
        detail = "either hpa or keda must be specified as the actuator backend"
        yield FieldError("Required", where, detail)
    cost = autoscaler.get("variantCost")
    if cost and not _COST.fullmatch(cost):
        detail = 'variantCost must be a non-negative numeric string (e.g., "10", "10.0", "0.5")'
        yield FieldError("Invalid", f"{where}.variantCost", detail, cost)
    if autoscaler.get("keda") is not None:
        yield from _keda(path, autoscaler["keda"], scaling.get("minReplicas"))


def _keda(path: str, keda: Json, low: int | None) -> Iterator[FieldError]:
    advanced = keda.get("advanced") or {}
    if any((advanced.get("scalingModifiers") or {}).get(field) for field in _MODIFIERS):
        detail = (
            "scalingModifiers must not be set; WVA controls the scaling metric formula and logic"
        )
        yield FieldError("Forbidden", f"{path}.wva.keda.advanced.scalingModifiers", detail)
    yield from _name(f"{path}.wva.keda", keda)
    yield from _idle(path, f"{path}.wva.keda", keda, low)


def _name(path: str, keda: Json) -> Iterator[FieldError]:
    config = value_at(keda, ("advanced", "horizontalPodAutoscalerConfig")) or {}
    if config.get("name"):
        field = f"{path}.advanced.horizontalPodAutoscalerConfig.name"
        detail = "horizontalPodAutoscalerConfig.name must not be set; the controller manages the HPA name"
        yield FieldError("Forbidden", field, detail)


def _idle(path: str, where: str, keda: Json, low: int | None) -> Iterator[FieldError]:
    """Yield why pods without work cannot be so many. path: of the scaling. where: of what KEDA is told. low: the fewest pods with work."""
    idle = keda.get("idleReplicaCount")
    if idle is None:
        return
    if low is None:
        detail = (
            f"minReplicas is required when idleReplicaCount is set; idleReplicaCount ({idle}) "
            "must be less than minReplicas"
        )
        yield FieldError("Required", f"{path}.minReplicas", detail)
    elif idle >= low:
        detail = (
            f"idleReplicaCount ({idle}) must be less than minReplicas ({low}); "
            "idleReplicaCount defines the replica floor when no triggers are active"
        )
        yield FieldError("Invalid", f"{where}.idleReplicaCount", detail, idle)
