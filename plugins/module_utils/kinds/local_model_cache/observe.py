# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a cache, from its Jobs and what it said before. KServe gives caches no conditions.

Source: KServe pkg/controller/v1alpha1/localmodel/reconcilers/utils.go, pkg/controller/v1alpha1/localmodelnode/controller.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...kube.fault import WorkloadFault
from ...kube.fields import filled
from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.reference import Reference
from ..kind import Observation
from . import names
from .child_kinds import INFERENCE_SERVICE, JOB, LLM_INFERENCE_SERVICE
from .resolved import NodeOfGroup, Resolved
from .status_schema import DOWNLOADED, DOWNLOADING, FAILED, NOT_READY, PENDING


def observe(resolved: Resolved, reader: Reader, pods: Sequence[Json] = ()) -> Observation:  # noqa: ARG001
    """Return the status that live Jobs give a cache. reader: sees them, and the custom resource with the status until now."""
    cache = resolved.cache
    before = value_at(reader.get(cache.reference) or {}, ("status", "nodeStatus")) or {}
    jobs = {node.name: reader.get(_job(resolved, node)) for node in resolved.nodes}
    nodes = {
        node.name: _node_status(node, jobs[node.name], before.get(node.name))
        for node in resolved.nodes
    }
    available = sum(each == DOWNLOADED for each in nodes.values())
    failed = sum(each == FAILED for each in nodes.values())
    counts = {"available": available, "total": len(nodes), "failed": failed}
    status = {
        **filled({"nodeStatus": nodes}),
        "copies": {name: count for name, count in counts.items() if count},
        **_services(resolved),
    }
    return Observation(
        status=status,
        ready=bool(nodes) and available == len(nodes),
        faults=tuple(_faults(resolved, jobs)),
    )


def says_ready(status: Json) -> bool:
    """Tell whether a status says that all nodes have the model; there are no conditions."""
    copies = status.get("copies") or {}
    return bool(copies.get("total")) and copies.get("available") == copies["total"]


def reconcile_error(observation: Observation, message: str) -> Observation:
    """Return the observation of a cache of which a child could not be applied: the controller leaves its status as it is."""
    faults = (WorkloadFault("ReconcileFailed", message), *observation.faults)
    return replace(observation, ready=False, faults=faults)


def _job(resolved: Resolved, node: NodeOfGroup) -> Reference:
    cache, place = resolved.cache, resolved.config.local_model.job_namespace
    name = names.job(cache.name, cache.namespace, node.name)
    return Reference(JOB.api_version, JOB.kind, place, name)


def _node_status(node: NodeOfGroup, job: Json | None, before: str | None) -> str:
    """Return how far a node is. A node that is not ready keeps what was known of it; so does one whose Job has gone by itself."""
    if not node.ready:
        return before or NOT_READY
    if job is None:
        return DOWNLOADED if before == DOWNLOADED else PENDING
    status = job.get("status") or {}
    for field, said in (("succeeded", DOWNLOADED), ("failed", FAILED), ("ready", DOWNLOADING)):
        if (status.get(field) or 0) > 0:
            return said
    return PENDING


def _services(resolved: Resolved) -> Json:
    """Return the services that use the cache, by the field that names them."""
    found = {}
    for field, (dummy, kind) in (
        ("inferenceServices", INFERENCE_SERVICE),
        ("llmInferenceServices", LLM_INFERENCE_SERVICE),
    ):
        used_by = dict.fromkeys(each.service for each in resolved.users)
        found[field] = [
            {"namespace": each.namespace, "name": each.name}
            for each in used_by
            if each.kind == kind
        ]
    return filled(found)


def _faults(resolved: Resolved, jobs: Mapping[str, Json | None]) -> Iterator[WorkloadFault]:
    """Yield what waiting does not mend: Jobs that have given up, and a cache that no node fits."""
    if not resolved.nodes:
        names_of = ", ".join(resolved.cache.groups)
        yield WorkloadFault("NoNodes", f"no node fits the node affinity of {names_of}")
    for node, job in jobs.items():
        for each in value_at(job or {}, ("status", "conditions")) or ():
            if (each.get("type"), each.get("status")) == ("Failed", "True"):
                why = each.get("message") or each.get("reason") or "it failed"
                name = (job or {})["metadata"]["name"]
                yield WorkloadFault("DownloadFailed", f"Job {name} on node {node}: {why}")
