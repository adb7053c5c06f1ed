# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployment of the router, which passes requests along the graph.

Source: KServe pkg/controller/v1alpha1/inferencegraph/raw_ig.go, pkg/constants/constants.go@v0.17.0.
"""

from __future__ import annotations

from typing import Any

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ...kserve.autoscaler_class import AUTOSCALER_NONE
from ...kserve.rollout import usual_rollout
from ...kserve.standard_pod import DEFAULT_PORT, standard_pod
from .. import labels
from ..resolved import Resolved
from ..router_json import router_json

_REPLICAS = ("spec", "replicas")
#: The router takes these patterns from here, joined by commas.
_HEADERS = "PROPAGATE_HEADERS"
_PROBE: Json = {
    "httpGet": {"path": "/readyz", "port": DEFAULT_PORT, "scheme": "HTTP"},
    "initialDelaySeconds": 5,
    "timeoutSeconds": 2,
    "periodSeconds": 5,
    "successThreshold": 1,
    "failureThreshold": 3,
}
_SECURITY: Json = {
    "privileged": False,
    "runAsNonRoot": True,
    "readOnlyRootFilesystem": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
}


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
    template = {"metadata": filled(metadata), "spec": standard_pod(_pod(resolved))}
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


def _pod(resolved: Resolved) -> Json:
    spec = resolved.graph.spec
    return {
        "containers": [_container(resolved)],
        **{
            name: spec[name]
            for name in (
                "affinity",
                "tolerations",
                "nodeSelector",
                "nodeName",
                "serviceAccountName",
            )
            if spec.get(name)
        },
        **filled({"imagePullSecrets": [{"name": each} for each in resolved.router.pull_secrets]}),
        # The router asks services, never the API server.
        "automountServiceAccountToken": False,
    }


def _container(resolved: Resolved) -> Json:
    router = resolved.router
    env = None
    if router.propagated is not None:
        env = [filled({"name": _HEADERS, "value": ",".join(router.propagated)})]
    return filled(
        {
            "name": resolved.graph.name,
            "image": router.image,
            "imagePullPolicy": router.pull_policy,
            "args": ["--graph-json", router_json(resolved.spec)],
            "env": env,
            "resources": _resources(resolved),
            "readinessProbe": _PROBE,
            "securityContext": _SECURITY,
        }
    )


def _resources(resolved: Resolved) -> Json:
    """Return the resources of the router: its author's as a whole, where they say anything, else those of the configuration."""
    own = resolved.graph.spec.get("resources") or {}
    if not any(own.values()):
        return resolved.router.resources
    return filled({part: own.get(part) for part in ("limits", "requests")})
