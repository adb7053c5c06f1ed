# SPDX-License-Identifier: GPL-3.0-or-later
"""KEDA's ScaledObject of a component in Standard mode. Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/keda/keda_reconciler.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ...kserve.autoscaler_class import AUTOSCALER_KEDA, DEFAULT_CPU
from ...kserve.system_config import SystemConfig
from ..errors import RECONCILE_FAILED, Unbuildable
from ..labels import app
from ..pods.component import Component
from ..pods.webhook_emulation import Mutator
from ..resolved import Resolved
from .autoscaler_class import (
    KEDA_API,
    SCALED_OBJECT,
    autoscaler_class,
    pod_autoscaler_reference,
)
from .horizontal_pod_autoscaler import replica_limits
from .opentelemetry_collector import OPENTELEMETRY

_PROMETHEUS = "prometheus"
#: Types of a target that is an amount, and where it is; that of the other type is a share in per cent.
_AMOUNTS = {"AverageValue": "averageValue", "Value": "value"}


def scaled_object(component: Component, resolved: Resolved, mutate: Mutator) -> Child | None:  # noqa: ARG001
    """Return the ScaledObject, None where the component asks for another autoscaler. Raises Unbuildable without a metric."""
    if autoscaler_class(component) != AUTOSCALER_KEDA:
        return None
    resolved.config.need("autoscaler")
    least, most = replica_limits(component, least=0)
    triggers = [*_triggers(component, resolved)]
    if not triggers:
        _refuse(component)
    behavior = _behavior(component, resolved.config)
    windows = {"horizontalPodAutoscalerConfig": {"behavior": behavior}} if behavior else {}
    return Child(
        stage=Stage.WORKLOAD,
        replaces=(pod_autoscaler_reference(component, resolved),),
        manifest=Manifest(
            api_version=KEDA_API,
            kind=SCALED_OBJECT,
            name=component.name,
            namespace=resolved.service.namespace,
            labels={**component.labels, **app(component.name)},
            annotations=component.annotations,
            body={
                "spec": {
                    "scaleTargetRef": {"name": component.name},
                    "minReplicaCount": least,
                    "maxReplicaCount": most,
                    **({"advanced": {**windows, "scalingModifiers": {}}} if windows else {}),
                    "triggers": triggers,
                }
            },
        ),
    )


def _refuse(component: Component) -> None:
    raise Unbuildable(
        f'fails to reconcile {component.role}: ScaledObject.keda.sh "{component.name}" is invalid: spec.triggers: Required value',
        role=component.role,
        reason=RECONCILE_FAILED,
        path=f"spec.{component.role}.autoScaling.metrics",
        advice="KEDA needs a metric by which to scale; name one, or take another autoscalerClass",
        rule="autoscaler",
    )


def _triggers(component: Component, resolved: Resolved) -> Iterator[Json]:
    for metric in (component.spec.get("autoScaling") or {}).get("metrics") or ():
        match metric.get("type"):
            case "Resource":
                yield _of_resource(metric.get("resource") or {})
            case "External":
                yield _of_external(metric.get("external") or {})
            case "PodMetric":
                found = metric.get("podmetric") or {}
                if (found.get("metric") or {}).get("backend") == OPENTELEMETRY:
                    yield _of_pods(found, component, resolved)


def _of_resource(resource: Json) -> Json:
    name, target = resource.get("name") or "", resource.get("target") or {}
    share = target.get("averageUtilization")
    amount = _AMOUNTS.get(target.get("type") or "")
    if amount:
        value = _text(target.get(amount))
    elif share is None:
        value = str(DEFAULT_CPU) if name == "cpu" else "0"
    else:
        value = str(share)
    return filled({"type": name, "metricType": target.get("type"), "metadata": {"value": value}})


def _of_external(external: Json) -> Json:
    metric, target = external.get("metric") or {}, external.get("target") or {}
    backend = metric.get("backend") or ""
    metadata = {
        "serverAddress": metric.get("serverAddress") or "",
        "query": metric.get("query") or "",
        "threshold": _text(target.get("value")),
    }
    if backend == _PROMETHEUS and metric.get("namespace"):
        metadata["namespace"] = metric["namespace"]
    secured = external.get("authenticationRef") or {}
    if secured.get("authModes"):
        metadata["authModes"] = secured["authModes"]
    named = filled({"name": (secured.get("authenticationRef") or {}).get("name")})
    return filled({"type": backend, "metadata": metadata, "authenticationRef": named})


def _of_pods(found: Json, component: Component, resolved: Resolved) -> Json:
    metric, target = found.get("metric") or {}, found.get("target") or {}
    resolved.config.need("opentelemetryCollector")
    place = f'namespace="{resolved.service.namespace}", deployment="{component.name}"'
    metadata = {
        "metricQuery": f"sum({metric.get('query') or ''}{{{place}}})",
        "targetValue": _text(target.get("value")),
        "scalerAddress": metric.get("serverAddress")
        or resolved.config.opentelemetry.scaler_endpoint,
        "operationOverTime": metric.get("operationOverTime") or None,
    }
    return {"type": "external", "metadata": {k: v for k, v in metadata.items() if v is not None}}


def _text(amount: Any) -> str:
    """Return an amount as its author wrote it."""
    return "0" if amount is None else str(amount)


def _behavior(component: Component, config: SystemConfig) -> Json:
    """Return how long KEDA looks back before it scales, in seconds; of each direction, what the service says comes first."""
    own = (component.spec.get("autoScaling") or {}).get("behavior") or {}
    given = {
        way: (own.get(way) or {}).get("stabilizationWindowSeconds")
        for way in ("scaleUp", "scaleDown")
    }
    usual = {"scaleUp": config.autoscaler.scale_up, "scaleDown": config.autoscaler.scale_down}
    windows = {way: usual[way] if one is None else one for way, one in given.items()}
    return {
        way: {"stabilizationWindowSeconds": seconds}
        for way, seconds in windows.items()
        if seconds is not None
    }
