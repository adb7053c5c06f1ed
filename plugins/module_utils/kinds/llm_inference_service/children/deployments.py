# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployments of services whose model fits into one pod. Source: KServe pkg/controller/v1alpha2/llmisvc/{workload,workload_single_node}.go@v0.17.0."""

from __future__ import annotations

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from .. import labels, names
from ..propagation import object_annotations, pod_annotations, pod_labels
from ..resolved import Resolved
from .serving_pods import main_pod, prefill_pod


def main_deployment(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the Deployment that answers; with prefill it does the decoding alone. None where groups of pods do that."""
    if resolved.stopped or resolved.at("worker") is not None:
        return None
    role: labels.Role = "both" if resolved.at("prefill") is None else "decode"
    selector = pod_labels(labels.serving(resolved.name, "workload", role), resolved)
    return _deployment(
        resolved,
        names.main(resolved.name),
        selector,
        pod_annotations(resolved),
        main_pod(resolved, reader),
        resolved.spec,
    )


def prefill_deployment(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the Deployment that reads prompts. None where there is none, or where groups of pods do that."""
    no_prefill = resolved.at("prefill") is None
    if resolved.stopped or no_prefill or resolved.at("prefill", "worker") is not None:
        return None
    base = labels.serving(resolved.name, "workload-prefill", "prefill")
    return _deployment(
        resolved,
        names.prefill(resolved.name),
        pod_labels(base, resolved, prefill=True),
        pod_annotations(resolved, prefill=True),
        prefill_pod(resolved, reader),
        resolved.at("prefill"),
    )


def _deployment(
    resolved: Resolved,
    name: str,
    selector: labels.Labels,
    annotations: labels.Labels,
    pod: Json,
    workload: Json,
) -> Child:
    """Return a Deployment. The labels of its pods are its own and its selector, as with the controller."""
    rollout = filled(workload.get("rolloutStrategy") or {})
    strategy = {"type": "RollingUpdate", "rollingUpdate": rollout}
    spec = filled(
        {
            "replicas": workload.get("replicas"),
            "strategy": strategy if rollout else None,
            "selector": {"matchLabels": selector},
            "template": {
                "metadata": filled({"labels": selector, "annotations": annotations}),
                "spec": pod,
            },
        }
    )
    return Child(
        stage=Stage.WORKLOAD,
        manifest=Manifest(
            api_version=gvk.APPS,
            kind="Deployment",
            name=name,
            namespace=resolved.namespace,
            labels=selector,
            annotations=object_annotations(resolved),
            body={"spec": spec},
        ),
    )
