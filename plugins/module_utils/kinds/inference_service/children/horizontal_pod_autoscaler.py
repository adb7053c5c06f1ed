# SPDX-License-Identifier: GPL-3.0-or-later
"""The HorizontalPodAutoscaler of a component in Standard mode.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/hpa/hpa_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.quantity import canonical_quantity
from ...kserve.autoscaler_class import AUTOSCALER_HPA, DEFAULT_CPU
from ..labels import app
from ..pods.component import Component
from ..pods.webhook_emulation import Mutator
from ..resolved import Resolved
from .autoscaler_class import HPA, HPA_API, autoscaler_class, scaled_object_reference


def horizontal_pod_autoscaler(
    component: Component,
    resolved: Resolved,
    mutate: Mutator,  # noqa: ARG001
) -> Child | None:
    """Return the autoscaler, None where the component asks for another one.

    behavior: empty, as the controller sends it; the server fills it in. `autoScaling.behavior` has no effect.
    """
    if autoscaler_class(component) != AUTOSCALER_HPA:
        return None
    least, most = replica_limits(component, least=1)
    return Child(
        stage=Stage.WORKLOAD,
        replaces=(scaled_object_reference(component, resolved),),
        manifest=Manifest(
            api_version=HPA_API,
            kind=HPA,
            name=component.name,
            namespace=resolved.service.namespace,
            labels={**component.labels, **app(component.name)},
            annotations=component.annotations,
            body={
                "spec": filled(
                    {
                        "scaleTargetRef": {
                            "apiVersion": gvk.APPS,
                            "kind": "Deployment",
                            "name": component.name,
                        },
                        "minReplicas": least,
                        "maxReplicas": most,
                        "metrics": list(_metrics(component)),
                    }
                )
                | {"behavior": {}}
            },
        ),
    )


def replica_limits(component: Component, *, least: int) -> tuple[int, int]:
    """Return the smallest and the largest number of pods. least: below which the smallest one cannot be."""
    given = component.spec.get("minReplicas")
    low = max(least, 1 if given is None else given)
    return low, max(component.spec.get("maxReplicas") or 0, low)


def _metrics(component: Component) -> Iterator[Json]:
    scaling = component.spec.get("autoScaling")
    if scaling is None:
        name = component.spec.get("scaleMetric") or "cpu"
        goal = component.spec.get("scaleTarget")
        if name == "cpu":
            yield _resource("cpu", _utilization(DEFAULT_CPU if goal is None else goal))
        elif name == "memory" and goal is not None:
            yield _resource("memory", _utilization(goal))
        return
    for metric in scaling.get("metrics") or ():
        resource = metric.get("resource") or {}
        if resource.get("name") not in ("cpu", "memory"):
            continue
        target = resource.get("target") or {}
        share = target.get("averageUtilization")
        if resource["name"] == "cpu":
            yield _resource("cpu", _utilization(DEFAULT_CPU if share is None else share))
        elif target.get("type") == "AverageValue":
            amount = target.get("averageValue")
            short = None if amount is None else canonical_quantity(amount)
            yield _resource("memory", filled({"type": "AverageValue", "averageValue": short}))
        else:
            yield _resource("memory", filled({"type": "Utilization", "averageUtilization": share}))


def _resource(name: str, target: Json) -> Json:
    return {"type": "Resource", "resource": {"name": name, "target": target}}


def _utilization(share: int) -> Json:
    return {"type": "Utilization", "averageUtilization": share}
