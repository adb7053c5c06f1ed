# SPDX-License-Identifier: GPL-3.0-or-later
"""The HorizontalPodAutoscaler of the router.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/hpa/hpa_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ...kserve.autoscaler_class import AUTOSCALER_HPA, DEFAULT_CPU
from ..resolved import Resolved


def horizontal_pod_autoscaler(resolved: Resolved) -> Child | None:
    """Return the autoscaler, None where the graph asks for another one, or for none.

    behavior: empty, as the controller sends it; the server fills it in.
    """
    if resolved.autoscaler != AUTOSCALER_HPA:
        return None
    graph = resolved.graph
    least = max(1, graph.spec.get("minReplicas") or 1)
    most = max(graph.spec.get("maxReplicas") or 0, least)
    target = {"apiVersion": gvk.APPS, "kind": "Deployment", "name": graph.name}
    spec = {
        "scaleTargetRef": target,
        "minReplicas": least,
        "maxReplicas": most,
        "metrics": list(_metrics(graph.spec)),
    }
    return Child(
        stage=Stage.WORKLOAD,
        manifest=Manifest(
            api_version=gvk.AUTOSCALING,
            kind="HorizontalPodAutoscaler",
            name=graph.name,
            namespace=graph.namespace,
            labels=resolved.labels,
            annotations=graph.annotations,
            body={"spec": filled(spec) | {"behavior": {}}},
        ),
    )


def _metrics(spec: Json) -> Iterator[Json]:
    """Yield the metric, none for what an HPA does not measure: then the server scales by CPU."""
    name, goal = spec.get("scaleMetric") or "cpu", spec.get("scaleTarget")
    if name == "cpu" and goal is None:
        goal = DEFAULT_CPU
    if name in ("cpu", "memory") and goal is not None:
        target = {"type": "Utilization", "averageUtilization": goal}
        yield {"type": "Resource", "resource": {"name": name, "target": target}}
