# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of a HorizontalPodAutoscaler. Source: k8s.io/kubernetes v1.36.3, pkg/apis/autoscaling/validation."""

from __future__ import annotations

from collections.abc import Iterator

from ..manifest import Json
from ..problem import Problem
from ..schema_faults import show

#: What each type of metric says, and the field in which.
_FIELDS = {
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "External": "external",
}
_OF_RESOURCES = ("Resource", "ContainerResource")


def autoscaler_problems(autoscaler: Json) -> Iterator[Problem]:
    """Yield what is wrong with an autoscaler whose fields are right by themselves."""
    spec = autoscaler["spec"]
    least, most = spec.get("minReplicas"), spec["maxReplicas"]
    if least is not None and most < least:
        message = f"{most} is less than minReplicas, {least}"
        yield Problem("spec.maxReplicas", message, rule="autoscaler")
    version = spec["scaleTargetRef"].get("apiVersion") or ""
    if version.count("/") != 1 or version.startswith("/"):
        message = f"{show(version)} is not a group and a version, such as apps/v1"
        yield Problem("spec.scaleTargetRef.apiVersion", message, rule="autoscaler")
    for number, metric in enumerate(spec.get("metrics") or ()):
        yield from _metric(metric, f"spec.metrics[{number}]")
    for side in ("scaleUp", "scaleDown"):
        rules = (spec.get("behavior") or {}).get(side)
        # Policies that are not there are those of the server, an empty list of them is none.
        if rules is not None and rules.get("policies") == []:
            message = "empty; leave it out, or give one"
            yield Problem(f"spec.behavior.{side}.policies", message, rule="autoscaler")


def _metric(metric: Json, path: str) -> Iterator[Problem]:
    field = _FIELDS.get(metric["type"], "")
    if metric.get(field) is None:
        message = f"missing: it says what the type {metric['type']} measures"
        yield Problem(f"{path}.{field}", message, rule="autoscaler")
    for other in _FIELDS.values():
        if other != field and metric.get(other) is not None:
            message = f"is not for the type {metric['type']}"
            yield Problem(f"{path}.{other}", message, rule="autoscaler")
    source = metric.get(field)
    if source is None:
        return
    if (source.get("describedObject") or {}).get("apiVersion", "").count("/") > 1:
        message = "has more than a group and a version"
        yield Problem(f"{path}.{field}.describedObject.apiVersion", message, rule="autoscaler")
    yield from _target(metric["type"], source["target"], f"{path}.{field}.target")


def _target(kind: str, target: Json, path: str) -> Iterator[Problem]:
    wanted: tuple[str, ...]
    if kind in _OF_RESOURCES:
        wanted = ("averageUtilization", "averageValue")
    else:
        wanted = ("averageValue",) if kind == "Pods" else ("value", "averageValue")
    given = [field for field in wanted if target.get(field) is not None]
    if not given:
        message = f"missing: give {' or '.join(wanted)}"
        yield Problem(f"{path}.{wanted[-1]}", message, rule="autoscaler")
    elif len(given) > 1 and kind != "Object":
        message = f"{' and '.join(given)} are both given; give one"
        yield Problem(f"{path}.{wanted[-1]}", message, rule="autoscaler")
