# SPDX-License-Identifier: GPL-3.0-or-later
"""How components are scaled: what each autoscaler understands.

Source: KServe pkg/apis/serving/v1beta1/inference_service_validation.go,
pkg/controller/v1beta1/inferenceservice/reconcilers/autoscaler/autoscaler_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.quantity import parse_quantity
from ....kube.schema_faults import show
from ...kserve.modes import MODE_ANNOTATION, STANDARD
from ..scaling_schema import BACKENDS, POD_BACKENDS, TARGET_TYPES
from .multi_node import CLASS_ANNOTATION

CLASSES = ("hpa", "external", "keda", "none")
KNATIVE_CLASS = "autoscaling.knative.dev/class"
_KNATIVE_HPA = "hpa.autoscaling.knative.dev"
INITIAL_SCALE = "autoscaling.knative.dev/initial-scale"

_HPA_METRICS = ("cpu", "memory")
_KPA_METRICS = ("concurrency", "rps")
_PERCENT = 100
_TARGET_FIELDS = {
    "Utilization": "averageUtilization",
    "AverageValue": "averageValue",
    "Value": "value",
}
#: What a metric is taken from, by its field, and who may measure it.
_SOURCES: dict[str, tuple[str, ...]] = {
    "resource": (),
    "external": BACKENDS,
    "podmetric": POD_BACKENDS,
}
_MEBIBYTE = parse_quantity("1Mi")


def class_problems(annotations: Mapping[str, str]) -> Iterator[Problem]:
    """Yield what is wrong with the annotations that name an autoscaler."""
    found = annotations.get(CLASS_ANNOTATION)
    if found is not None and found not in CLASSES:
        yield _at(CLASS_ANNOTATION, f"{show(found)} is not one of {', '.join(CLASSES)}")
    start = annotations.get(INITIAL_SCALE)
    if start is not None and not start.isdecimal():
        yield _at(
            INITIAL_SCALE,
            f"{show(start)} is not a number of pods, which Knative refuses",
            warn=True,
        )


def _at(annotation: str, message: str, *, warn: bool = False) -> Problem:
    path = f'metadata.annotations["{annotation}"]'
    return Problem(path, message, "warning" if warn else "error", rule="autoscaler")


def metric_problems(component: Json, path: str) -> Iterator[Problem]:
    """Yield what a metric must say, since KServe's webhook writes an empty text in its place, which the API refuses."""
    for number, item in enumerate(_metrics(component)):
        for field, backends in _SOURCES.items():
            source = item.get(field)
            if source is None:
                continue
            where = f"{path}.autoScaling.metrics[{number}].{field}"
            if not source["target"].get("type"):
                yield _unsaid(f"{where}.target.type", TARGET_TYPES)
            if backends and not source["metric"].get("backend"):
                yield _unsaid(f"{where}.metric.backend", backends)


def _unsaid(path: str, words: tuple[str, ...]) -> Problem:
    message = f"missing: {'one of ' * (len(words) > 1)}{', '.join(words)}; KServe refuses a metric that does not say it"
    return Problem(path, message, rule="scaling")


def scaling_problems(
    component: Json, path: str, annotations: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield what the autoscaler of a component would not understand. annotations: the service's, with the default mode."""
    for field, message in _rules(annotations)(component):
        yield Problem(f"{path}.{field}", message, rule="scaling")


_Faults = Iterator[tuple[str, str]]


def _rules(annotations: Mapping[str, str]) -> Callable[[Json], _Faults]:
    if annotations.get(MODE_ANNOTATION) == STANDARD:
        return {"hpa": _hpa, "keda": _keda}.get(annotations.get(CLASS_ANNOTATION, ""), _none)
    return _hpa if annotations.get(KNATIVE_CLASS) == _KNATIVE_HPA else _kpa


def _none(_component: Json) -> _Faults:
    return iter(())


def _hpa(component: Json) -> _Faults:
    metric, target = component.get("scaleMetric", "cpu"), component.get("scaleTarget")
    if metric not in _HPA_METRICS:
        yield (
            "scaleMetric",
            f"{show(metric)} is not one of {', '.join(_HPA_METRICS)}, which an HPA understands",
        )
    if target is not None and (target > _PERCENT or (metric == "cpu" and target < 1)):
        yield (
            "scaleTarget",
            f"{target} is not a percentage of 1 to 100, which KServe demands for memory, too",
        )
    elif target is not None and metric == "memory" and target < 1:
        yield "scaleTarget", f"{target} is less than 1"
    for number, item in enumerate(_metrics(component)):
        where = f"autoScaling.metrics[{number}]"
        if item["type"] != "Resource":
            yield (
                f"{where}.type",
                f"{show(item['type'])}: an HPA only supports Resource; use the class keda",
            )
        elif item.get("resource") is None:
            yield f"{where}.resource", "missing"


def _kpa(component: Json) -> _Faults:
    if component.get("deploymentStrategy") is not None:
        yield (
            "deploymentStrategy",
            "Knative replaces pods in its own way; it only has an effect in Standard mode",
        )
    metric, target = component.get("scaleMetric", "concurrency"), component.get("scaleTarget")
    if metric not in _KPA_METRICS:
        yield (
            "scaleMetric",
            f"{show(metric)} is not one of {', '.join(_KPA_METRICS)}, which Knative understands",
        )
    if metric == "rps" and target is not None and target < 1:
        yield "scaleTarget", f"{target} is less than 1 request per second"


def _keda(component: Json) -> _Faults:
    if component.get("scaleMetric") is not None:
        yield "scaleMetric", "KEDA does not read it; write autoScaling.metrics"
    elif not _metrics(component):
        yield "autoScaling.metrics", "missing: KEDA refuses a ScaledObject without triggers"
    for number, item in enumerate(_metrics(component)):
        where = f"autoScaling.metrics[{number}]"
        field = item["type"].lower()
        source = item.get(field)
        if source is None:
            yield f"{where}.{field}", "missing"
            continue
        for inner, message in (_resource if field == "resource" else _query)(source):
            yield f"{where}.{field}.{inner}", message


def _resource(source: Json) -> _Faults:
    target = source["target"]
    kind = target.get("type", "")
    allowed = ("Utilization",) if source["name"] == "cpu" else ("AverageValue", "Utilization")
    if kind not in allowed:
        yield "target.type", f"{show(kind)} is not {' or '.join(allowed)}, for {source['name']}"
    elif kind == "AverageValue" and parse_quantity(target.get("averageValue", "0")) < _MEBIBYTE:
        yield "target.averageValue", f"{target.get('averageValue', 'nothing')} is less than 1Mi"
    yield from _target(target)


def _query(source: Json) -> _Faults:
    if not source["metric"].get("query"):
        yield "metric.query", "missing"
    if source["target"].get("value") is None:
        yield "target.value", "missing: the threshold"
    yield from _target(source["target"])


def _target(target: Json) -> _Faults:
    kind = target.get("type", "")
    field = _TARGET_FIELDS.get(kind, "")
    if field and target.get(field) is None:
        yield f"target.{field}", f"missing: the type is {kind}"
    elif field == "averageUtilization" and not 1 <= target[field] <= _PERCENT:
        yield f"target.{field}", f"{target[field]} is not a percentage of 1 to 100"


def _metrics(component: Json) -> list[Json]:
    return (component.get("autoScaling") or {}).get("metrics") or []
