# SPDX-License-Identifier: GPL-3.0-or-later
"""What Knative's webhook refuses of a revision beyond the rules of pods.

Source: Knative Serving 0.48.1, pkg/apis/serving/k8s_validation.go, v1/revision_validation.go and config/defaults.go, pkg/apis/autoscaling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...check import ERROR, Check
from .names import AUTOSCALING, KNATIVE_NAMESPACE, USUAL_CLASS

#: Where a cluster has limits of its own.
DEFAULTS = Reference("v1", "ConfigMap", KNATIVE_NAMESPACE, "config-defaults")
_TIMEOUT, _CONCURRENCY = "max-revision-timeout-seconds", "container-concurrency-max-limit"
_USUAL = {_TIMEOUT: 600, _CONCURRENCY: 1000}
#: By what its own autoscaler measures.
_METRICS = ("concurrency", "rps")
_CANARY, _ALL = "canaryTrafficPercent", 100
_PORT_NAMES = ("", "h2c", "http1")
#: Ports of Knative's own container in each pod, and that of its profiler.
_RESERVED = frozenset({8008, 8012, 8013, 8022, 9090, 9091})


BEYOND_LIMITS = Check(
    "knative-limits",
    ERROR,
    finds="Knative {fault}: it refuses the service",
    fix="change it, or use Standard mode",
    stops=True,
)


def scaling_faults(spec: Json, annotations: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield field and fault of what says how many pods there are. annotations: they may name another autoscaler than Knative's own."""
    least, most = spec.get("minReplicas"), spec.get("maxReplicas")
    for field in ("minReplicas", "maxReplicas"):
        if (spec.get(field) or 0) < 0:
            yield field, f"takes 0 pods or more, and this is {spec[field]}"
    if most and 0 < most < (1 if least is None else least):
        yield "maxReplicas", f"takes no number below that of minReplicas, and this is {most}"
    if spec.get("scaleTarget") is not None and spec["scaleTarget"] <= 0:
        yield "scaleTarget", f"takes a number above 0, and this is {spec['scaleTarget']}"
    metric = spec.get("scaleMetric")
    own = annotations.get(f"{AUTOSCALING}class", USUAL_CLASS) == USUAL_CLASS
    if metric is not None and own and metric not in _METRICS:
        yield "scaleMetric", f"scales by {' or '.join(_METRICS)}, and this is {metric}"


def port_faults(pod: Json) -> Iterator[tuple[str, str]]:
    """Yield place and fault of the ports of a revision's pod."""
    ports = [
        (f"containers[{number}].ports[{index}]", port)
        for number, container in enumerate(pod.get("containers") or ())
        for index, port in enumerate(container.get("ports") or ())
    ]
    if len(ports) > 1:
        yield ports[1][0], f"takes one port of all containers together, and here are {len(ports)}"
        return
    for place, port in ports:
        if (port.get("name") or "") not in _PORT_NAMES:
            yield (
                f"{place}.name",
                f'takes no port name but h2c and http1, and this is "{port["name"]}"',
            )
        if (port.get("protocol") or "TCP") != "TCP":
            yield f"{place}.protocol", f"only takes TCP, and this is {port['protocol']}"
        if port.get("containerPort") in _RESERVED:
            yield f"{place}.containerPort", f"keeps port {port['containerPort']} for itself"


def number_faults(component: Json, reader: Reader) -> Iterator[tuple[str, str, bool]]:
    """Yield field and fault of the numbers of a component, and whether that is sure: a cluster may have limits of its own."""
    given = reader.get(DEFAULTS)
    data = (given or {}).get("data") or {}
    known = reader.complete or given is not None
    for field, name in (("timeout", _TIMEOUT), ("containerConcurrency", _CONCURRENCY)):
        text = str(data.get(name) or "")
        most = int(text) if text.isdecimal() else _USUAL[name]
        value = component.get(field)
        if isinstance(value, int) and not 0 <= value <= most:
            yield (
                field,
                f"takes 0 to {most} ({name} of {DEFAULTS.name}), and this is {value}",
                known,
            )
    share = component.get(_CANARY)
    if isinstance(share, int) and not 0 <= share <= _ALL:
        yield _CANARY, f"takes 0 to {_ALL} of a hundred requests, and this is {share}", True
