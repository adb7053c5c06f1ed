# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployment of the router, which passes requests along the graph.

Source: KServe pkg/controller/v1alpha1/inferencegraph/raw_ig.go@v0.17.0.
"""

from __future__ import annotations

from typing import Any

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ...kserve.autoscaler_class import AUTOSCALER_NONE
from ...kserve.rollout import usual_rollout
from ...kserve.standard_pod import standard_pod
from .. import labels
from ..resolved import Resolved
from .router_pod import router_pod

_REPLICAS = ("spec", "replicas")


def deployment(resolved: Resolved) -> Child:
    """Return the Deployment.

    replicas: given only where nobody scales. Otherwise they are left to whoever does, also where they were given before.
    """
    graph = resolved.graph
    replicas = None
    if resolved.autoscaler == AUTOSCALER_NONE:
        replicas = graph.spec.get("minReplicas")
    metadata: dict[str, Any] = {
        "name": graph.name,
        "namespace": graph.namespace,
        "labels": dict(resolved.labels),
        "annotations": dict(graph.annotations),
    }
    pod = standard_pod(router_pod(resolved, name=graph.name))
    template = {"metadata": filled(metadata), "spec": pod}
    selector = {"matchLabels": labels.app(graph.name)}
    spec = filled({"replicas": replicas, "selector": selector, "template": template})
    manifest = Manifest(
        api_version=gvk.APPS,
        kind="Deployment",
        name=graph.name,
        namespace=graph.namespace,
        labels=resolved.labels,
        annotations=graph.annotations,
        body={"spec": {**spec, **usual_rollout(resolved.deploy)}},
    )
    return Child(Stage.WORKLOAD, manifest, (_REPLICAS,) if replicas is None else ())
