# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that have no effect in the mode of a service."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ..check import WARNING, Check, check
from ..kserve.knative.annotations import MIN_SCALE, class_of, scaling_doubts, unknown_annotations
from ..kserve.knative.scaling import zero_doubts
from ..kserve.modes import KNATIVE, STANDARD
from ..view import ServiceView
from .admission.multi_node import CLASS_ANNOTATION
from .knative_mode import annotations_of
from .resolved import Resolved

_KNATIVE_METRICS = ("concurrency", "rps")
WITHOUT_EFFECT = Check("no-effect", WARNING, finds="{effect}", fix="{way}")


@check(WITHOUT_EFFECT, costly=True)
def without_effect(view: ServiceView) -> Iterator[Problem]:
    """Yield fields that the service's mode ignores."""
    resolved: Resolved = view.basis
    for role in resolved.service.roles:
        component = resolved.service.spec[role]
        judged = (
            _standard(component, resolved) if resolved.mode == STANDARD else _knative(component)
        )
        for field, effect, way in judged:
            yield WITHOUT_EFFECT.at(f"spec.{role}.{field}", effect=effect, way=way)
    for path, given in annotations_of(view) if resolved.mode == KNATIVE else ():
        for name, way in unknown_annotations(given):
            effect = "Knative knows no annotation of this name, and passes it over"
            yield WITHOUT_EFFECT.at(f'{path}.annotations["{name}"]', effect=effect, way=way)
        if MIN_SCALE in given:
            effect = "Knative follows the same name with a dash, which KServe writes itself"
            way = "set minReplicas of the component"
            yield WITHOUT_EFFECT.at(f'{path}.annotations["{MIN_SCALE}"]', effect=effect, way=way)


@check(WITHOUT_EFFECT, reads=("ConfigMaps",))
def scaled_by_nobody(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield annotations by which Knative scales nothing."""
    if view.basis.mode != KNATIVE:
        return
    of_service = view.document["metadata"].get("annotations") or {}
    for path, given in annotations_of(view):
        for name, effect, way in scaling_doubts(given, class_of(of_service, given)):
            yield WITHOUT_EFFECT.at(f'{path}.annotations["{name}"]', effect=effect, way=way)
    for name, effect, way in zero_doubts(of_service, reader):
        yield WITHOUT_EFFECT.at(f'metadata.annotations["{name}"]', effect=effect, way=way)


def _standard(component: Json, resolved: Resolved) -> Iterator[tuple[str, str, str]]:
    """Yield what Standard mode does not do: the field, what comes of it, and what to do."""
    scaler = resolved.service.annotations.get(CLASS_ANNOTATION, "hpa")
    scaler = (component.get("annotations") or {}).get(CLASS_ANNOTATION, scaler)
    if component.get("canaryTrafficPercent") is not None:
        effect = "only has an effect in Knative mode; all requests go to the new pods"
        yield "canaryTrafficPercent", effect, "leave it out, or use Knative mode"
    if scaler != "hpa":
        return
    if component.get("minReplicas") == 0:
        way = "use the annotation of class keda, or Knative mode"
        yield "minReplicas", "0 becomes 1: an HPA keeps a pod", way
    metric = component.get("scaleMetric", "")
    scaling = component.get("autoScaling")
    if scaling is None and metric in _KNATIVE_METRICS:
        effect = f"an HPA does not know {metric}, so that it has no metric"
        yield "scaleMetric", effect, "use cpu or memory, or Knative mode"
    if scaling is not None and scaling.get("behavior") is not None:
        effect = "KServe passes it only to KEDA, and leaves it out with class hpa"
        yield "autoScaling.behavior", effect, "use the annotation of class keda"
    for number, item in enumerate((scaling or {}).get("metrics") or ()):
        if item["type"] != "Resource":
            effect = f"an HPA does not know {item['type']}"
            yield f"autoScaling.metrics[{number}]", effect, "use the annotation of class keda"


def _knative(component: Json) -> Iterator[tuple[str, str, str]]:
    """Yield what Knative mode does not do: the field, what comes of it, and what to do."""
    if component.get("autoScaling") is not None:
        effect = f"has an effect in {STANDARD} mode alone"
        yield "autoScaling", effect, f"use scaleMetric and scaleTarget in {KNATIVE} mode"
    if component.get("workerSpec") is not None:
        effect = f"KServe creates no workers in {KNATIVE} mode, and the server waits for them"
        yield "workerSpec", effect, f"use {STANDARD} mode"
