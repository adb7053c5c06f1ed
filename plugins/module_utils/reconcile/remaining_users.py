# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that stay and use what goes: a cache of a model that their pods read."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..cluster.connection import Cluster
from ..engine.snapshot import Snapshot
from ..fleet.cluster_reader import ClusterReader
from ..kinds.registry import KINDS
from ..kube.problem import Complaint, Problem
from ..kube.reference import Reference
from ..kube.text import few

#: How many services a message names.
_NAMED = 3


def still_used(
    cluster: Cluster, removed: Collection[Reference], snapshot: Snapshot
) -> Iterator[Complaint]:
    """Yield each service that is removed while others use it that stay."""
    for service in sorted(removed):
        used_by = KINDS[service.api_version, service.kind].used_by
        live = snapshot.get(service) if used_by is not None else None
        if used_by is None or live is None:
            continue
        users = [str(each) for each in used_by(live, ClusterReader(cluster)) if each not in removed]
        if users:
            verb = "use" if len(users) > 1 else "uses"
            text = f"{few(users, _NAMED)} still {verb} it; remove that first, or both together"
            yield Complaint(str(service), (Problem("", text, rule="cache-used"),))
