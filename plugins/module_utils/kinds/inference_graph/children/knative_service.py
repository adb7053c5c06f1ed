# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service of Knative that runs the router in Knative mode.

Source: KServe pkg/controller/v1alpha1/inferencegraph/knative_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ...kserve.knative.names import KNATIVE_API, PASSTHROUGH, VISIBILITY
from ...kserve.knative.scaling import scaling_annotations
from .. import labels
from ..resolved import Resolved
from .router_pod import router_pod


def knative_service(resolved: Resolved) -> Child:
    """Return the Service. It has the labels of the graph, and its revisions have KServe's beside them, but not who may reach it."""
    graph = resolved.graph
    kept = {key: text for key, text in graph.labels.items() if key != VISIBILITY}
    scaling = scaling_annotations(graph.spec, resolved.annotations)
    own = {key: scaling.pop(key) for key in (PASSTHROUGH,) if key in scaling}
    seconds = graph.spec.get("timeout")
    limits = {} if seconds is None else {"timeoutSeconds": seconds}
    template = {
        "metadata": {"labels": {**kept, **labels.revision(graph.name)}, "annotations": scaling},
        "spec": {**router_pod(resolved), **limits},
    }
    return Child(
        stage=Stage.WORKLOAD,
        manifest=Manifest(
            api_version=KNATIVE_API,
            kind="Service",
            name=graph.name,
            namespace=graph.namespace,
            labels=graph.labels,
            annotations=own,
            body={"spec": {"template": template}},
        ),
    )
