# SPDX-License-Identifier: GPL-3.0-or-later
"""The LeaderWorkerSets of services whose model needs several pods. Source: KServe pkg/controller/v1alpha2/llmisvc/workload_multi_node.go@v0.17.0."""

from __future__ import annotations

from ....kube import leader_worker_set
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from .. import labels, names
from ..parallelism import group_size, is_data_parallel
from ..propagation import object_annotations, pod_annotations, pod_labels
from ..resolved import Resolved
from .serving_pods import Part, group_pod


def main_group(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the groups of pods that answer; None where single pods do."""
    if resolved.stopped or resolved.at("worker") is None:
        return None
    role: labels.Role = "both" if resolved.at("prefill") is None else "decode"
    return _group(resolved, reader, names.multi_node(resolved.name), role)


def prefill_group(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the groups of pods that read prompts; None where single pods do, or nothing."""
    if resolved.stopped or resolved.at("prefill", "worker") is None:
        return None
    return _group(resolved, reader, names.multi_node_prefill(resolved.name), "prefill")


def _group(resolved: Resolved, reader: Reader, name: str, role: labels.Role) -> Child:
    prefill = role == "prefill"
    workload: Json = resolved.at("prefill") if prefill else resolved.spec
    base = _worker_labels(resolved, workload.get("template"), role)
    worker_labels = pod_labels(base, resolved, prefill=prefill)
    size = group_size(workload.get("parallelism"))
    groups_inside = prefill and size and is_data_parallel(workload.get("parallelism"))
    body = {
        "replicas": workload.get("replicas"),
        "leaderWorkerTemplate": filled(
            {
                **_templates(resolved, reader, role, worker_labels),
                "size": size,
                "restartPolicy": "RecreateGroupOnPodRestart",
                "subGroupPolicy": {"subGroupSize": size} if groups_inside else None,
            }
        ),
        "rolloutStrategy": filled({"type": "RollingUpdate", **_rollout(workload)}),
        "startupPolicy": "LeaderCreated",
    }
    return Child(
        stage=Stage.WORKLOAD,
        manifest=Manifest(
            api_version=leader_worker_set.API_VERSION,
            kind=leader_worker_set.KIND,
            name=name,
            namespace=resolved.namespace,
            labels=worker_labels,
            annotations=object_annotations(resolved, group=True),
            body={"spec": filled(body)},
        ),
    )


def _rollout(workload: Json) -> Json:
    """Return how an update goes where its author says so: what is not said of the two is what LWS does by itself."""
    said = filled(workload.get("rolloutStrategy") or {})
    if not said:
        return {}
    return {"rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 0, **said}}


def _templates(
    resolved: Resolved, reader: Reader, role: labels.Role, worker_labels: labels.Labels
) -> Json:
    """Return the pods of a group, the leader first: of both, its fault is the one that is reported."""
    prefill = role == "prefill"
    workload: Json = resolved.at("prefill") if prefill else resolved.spec
    annotations = pod_annotations(resolved, prefill=prefill, group=True)

    def template(pod: Json, own_labels: labels.Labels, part: Part) -> Json:
        return {
            "metadata": filled({"labels": own_labels, "annotations": annotations}),
            "spec": group_pod(pod, resolved, reader, part),
        }

    made: Json = {}
    leader = workload.get("template")
    if leader is not None:
        base = labels.serving(resolved.name, _component("leader", prefill), role)
        leader_labels = pod_labels(base, resolved, prefill=prefill)
        part: Part = "prefill leader" if prefill else "leader"
        made["leaderTemplate"] = template(leader, leader_labels, part)
    part = "prefill worker" if prefill else "worker"
    made["workerTemplate"] = template(workload["worker"], worker_labels, part)
    return made


def _component(part: str, prefill: bool) -> str:
    return f"workload-{part}-prefill" if prefill else f"workload-{part}"


def _worker_labels(resolved: Resolved, leader: Json | None, role: labels.Role) -> labels.Labels:
    """Return the labels of workers, and of the object. Where no leader receives the traffic, the workers do."""
    component = _component("worker", role == "prefill")
    if leader is not None:
        return labels.worker(resolved.name, component)
    return labels.serving(resolved.name, component, "prefill" if role == "prefill" else "decode")
