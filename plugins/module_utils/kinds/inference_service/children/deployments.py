# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployments of a component in Standard mode: its pods, and the workers of a predictor on several nodes.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/deployment/deployment_reconciler.go,
pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ...kserve.autoscaler_class import AUTOSCALER_NONE
from ...kserve.rollout import usual_rollout
from ...kserve.standard_pod import standard_pod
from ..labels import app
from ..pods.component import Component
from ..pods.webhook_emulation import Mutator
from ..resolved import Resolved
from .autoscaler_class import autoscaler_class

_REPLICAS = ("spec", "replicas")
#: Workers of an old and a new generation cannot work together, so all new ones start before an old one ends.
_WORKERS_SURGE: Json = {"maxUnavailable": "0%", "maxSurge": "100%"}


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    pod: Json


def component_deployment(component: Component, resolved: Resolved, mutate: Mutator) -> Child:
    """Return the Deployment of a component.

    replicas: given only where no autoscaler sets them. Otherwise they are left to whoever scales, also where they were given before.
    """
    part = _Part(component.name, component.labels, component.annotations, component.pod)
    replicas = None
    if autoscaler_class(component) == AUTOSCALER_NONE:
        replicas = component.spec.get("minReplicas")
    manifest = _deployment(part, resolved, mutate, replicas, _strategy(component, resolved))
    unclaimed = (_REPLICAS,) if replicas is None else ()
    return Child(Stage.WORKLOAD, manifest, unclaimed)


def workers_deployment(component: Component, resolved: Resolved, mutate: Mutator) -> Child | None:
    """Return the Deployment of the nodes beside the head, None where one node holds the model."""
    workers = component.workers
    if workers is None:
        return None
    rollout = _strategy(component, resolved)
    if (rollout.get("strategy") or {}).get("type") == "RollingUpdate":
        strategy = {**rollout["strategy"], "rollingUpdate": _WORKERS_SURGE}
        rollout = {**rollout, "strategy": strategy}
    part = _Part(workers.name, workers.labels, workers.annotations, workers.pod)
    return Child(Stage.WORKLOAD, _deployment(part, resolved, mutate, workers.replicas, rollout))


def _deployment(
    part: _Part,
    resolved: Resolved,
    mutate: Mutator,
    replicas: int | None,
    rollout: Json,
) -> Manifest:
    labels = {**part.labels, **app(part.name)}
    namespace = resolved.service.namespace
    metadata: dict[str, Any] = {
        "name": part.name,
        "namespace": namespace,
        "labels": labels,
        "annotations": dict(part.annotations),
    }
    template = mutate({"metadata": filled(metadata), "spec": standard_pod(part.pod)})
    spec = filled(
        {
            "replicas": replicas,
            "selector": {"matchLabels": app(part.name)},
            "template": template,
        }
    )
    return Manifest(
        api_version=gvk.APPS,
        kind="Deployment",
        name=part.name,
        namespace=namespace,
        labels=labels,
        annotations=part.annotations,
        body={"spec": {**spec, **rollout}},
    )


def _strategy(component: Component, resolved: Resolved) -> Json:
    """Return the fields that say how new pods take the place of old ones."""
    own: Json | None = component.spec.get("deploymentStrategy")
    if own is not None:
        return {"strategy": own} if own else {}
    return usual_rollout(resolved.config.deploy)
