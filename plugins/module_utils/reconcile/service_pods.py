# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pods belong to which service: whoever keeps their uids can tell later whether any was made anew."""

from __future__ import annotations

from collections.abc import Sequence

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.pod_health import workload_of
from ..kube.reference import Reference
from ..kube.rollout import WORKLOADS
from .compiled_service import CompiledService


def pods_of(cluster: Cluster, targets: Sequence[CompiledService]) -> dict[Reference, list[Json]]:
    """Return name and uid of each service's pods that are not ending; none where pods may not be listed."""
    owners = {
        child.reference: target.reference
        for target in targets
        for child in target.children
        if child.reference.kind in WORKLOADS
    }
    found: dict[Reference, list[Json]] = {target.reference: [] for target in targets}
    for namespace, selector in sorted(
        {
            (target.reference.namespace, selector_text(target.service.kind.pod_labels))
            for target in targets
        }
    ):
        try:
            listing = cluster.list(
                "v1", "Pod", namespace=namespace, selector=selector, metadata_only=True
            )
        except Forbidden:
            continue
        for pod in listing.items:
            workload = workload_of(pod)
            service = owners.get(workload) if workload else None
            if service and not pod["metadata"].get("deletionTimestamp"):
                meta = pod["metadata"]
                found[service].append({"name": meta["name"], "uid": meta["uid"]})
    return found
