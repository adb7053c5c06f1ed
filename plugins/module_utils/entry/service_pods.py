# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pods belong to which service: whoever keeps their uids can tell later whether any was made anew."""

from __future__ import annotations

from collections.abc import Sequence

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.reference import Reference
from .target import Target

#: Label of a ReplicaSet's pods; the ReplicaSet is called after its Deployment and this hash.
TEMPLATE_HASH = "pod-template-hash"


def pods_of(cluster: Cluster, targets: Sequence[Target]) -> dict[Reference, list[Json]]:
    """Return name and uid of each service's pods that are not ending; none where pods may not be listed."""
    owners = {
        (child.reference.namespace, child.reference.name): target.reference
        for target in targets
        for child in target.children
        if child.reference.kind == "Deployment"
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
            service = owners.get((namespace, _deployment(pod)))
            if service and not pod["metadata"].get("deletionTimestamp"):
                meta = pod["metadata"]
                found[service].append({"name": meta["name"], "uid": meta["uid"]})
    return found


def _deployment(pod: Json) -> str:
    """Return the name of the Deployment that a pod belongs to, empty where it belongs to none."""
    meta = pod["metadata"]
    suffix = f"-{(meta.get('labels') or {}).get(TEMPLATE_HASH, '')}"
    for owner in meta.get("ownerReferences") or []:
        if owner["kind"] == "ReplicaSet" and str(owner["name"]).endswith(suffix):
            return str(owner["name"]).removesuffix(suffix)
    return ""
