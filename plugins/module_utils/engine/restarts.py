# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose pods an update would start anew, by dry runs."""

from __future__ import annotations

from functools import partial

from ..cluster.connection import Cluster
from ..kube.manifest import Json, value_at
from ..kube.reference import Reference
from . import FIELD_MANAGER
from .desired import PLACEHOLDER_UID, Desired
from .plan import Action
from .service_plan import ServicePlan

#: Where workloads have their pods: Deployments, and groups of pods.
TEMPLATES = (("spec", "template"), ("spec", "leaderWorkerTemplate"))


def restarting(cluster: Cluster, plan: ServicePlan) -> list[Reference]:
    """Return the workloads of a service whose pods a planned update replaces. What the server refuses is found by the update itself."""
    updated = [
        (change.reference, change.desired, change.live)
        for change in plan.changes
        if change.action is Action.UPDATE and change.desired and change.live
    ]
    workloads = [each for each in updated if any(value_at(each[2], path) for path in TEMPLATES)]
    uid = plan.owner_uid or PLACEHOLDER_UID
    answers = cluster.parallel(
        [partial(_replaces_pods, cluster, wanted, live, uid) for dummy, wanted, live in workloads],
        Exception,
    )
    return [each[0] for each, answer in zip(workloads, answers, strict=True) if answer is True]


def _replaces_pods(cluster: Cluster, wanted: Desired, live: Json, uid: str) -> bool:
    manifest = wanted.manifest(uid)
    after = cluster.apply(manifest, manager=FIELD_MANAGER, force=True, dry_run=True).object
    return any(value_at(live, path) != value_at(after, path) for path in TEMPLATES)
