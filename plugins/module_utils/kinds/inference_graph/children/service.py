# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service in front of the router. Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/service/service_reconciler.go@v0.17.0."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ...kserve.standard_pod import DEFAULT_PORT
from .. import labels
from ..resolved import Resolved

#: Where a graph is called.
PORT = 80


def service(resolved: Resolved) -> Child:
    """Return the Service; its port is called after the graph."""
    graph = resolved.graph
    port = {
        "name": graph.name,
        "port": PORT,
        "targetPort": DEFAULT_PORT,
        "protocol": "TCP",
    }
    headless = {"clusterIP": "None"} if resolved.headless else {}
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=graph.name,
            namespace=graph.namespace,
            labels=resolved.labels,
            annotations=graph.annotations,
            body={"spec": {**headless, "selector": labels.app(graph.name), "ports": [port]}},
        ),
    )
