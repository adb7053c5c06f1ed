# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of services whose objects are of another release than the wanted one, of KServe or of the collection's presets."""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.connection import Cluster
from ..engine.plan import Action
from ..engine.restarts import restarting
from ..engine.service_plan import ServicePlan
from ..kinds.kind import Pair
from ..kube.intent import Stage
from ..kube.problem import Problem
from ..kube.text import few
from .compiled_service import CompiledService

#: How many workloads a warning names.
_NAMED = 10


def release_problems(
    cluster: Cluster, target: CompiledService, plan: ServicePlan
) -> Iterator[Problem]:
    """Yield that objects cannot be adopted by another release, or that pods of ours restart since the release changes."""
    kind, settings = target.service.kind, target.service.settings
    if kind.other_release is None or not plan.changes:
        return
    adopting = any(
        change.action is Action.ADOPT and change.stage is not Stage.PARENT
        for change in plan.changes
    )
    pairs: list[Pair] = [(plan.parent_live, None)] if plan.parent_live else []
    for change in plan.changes:
        if change.live:
            wanted = change.desired.manifest(plan.owner_uid) if change.desired else None
            pairs.append((change.live, wanted))
    found = kind.other_release(settings, pairs, adopting)
    if found is None:
        return
    if adopting:
        yield Problem(
            "releases",
            f"the service was made by {found.theirs} ({found.seen}), and {found.wanted} is wanted; adopt it with the release "
            "that made it, and change the release in a run of its own",
            rule="adopt-release",
        )
        return
    restarted = restarting(cluster, plan)
    if restarted:
        names = few([str(reference) for reference in restarted], _NAMED)
        yield Problem(
            "releases",
            f"the service is of {found.theirs} ({found.seen}), and {found.wanted} is wanted: the pods of {names} restart",
            "warning",
            rule="release-restart",
        )


def preset_problems(
    target: CompiledService, plan: ServicePlan, *, allow_restart: bool
) -> list[Problem]:
    """Return that pods would restart because the collection's presets say more than before, though nobody changed the service."""
    changed = target.service.kind.changed_by_presets
    if changed is None or allow_restart:
        return []
    if any(change.stage is Stage.PARENT for change in plan.changes):
        return []
    restarted = [
        str(change.reference)
        for change in plan.changes
        if change.action is Action.UPDATE
        and change.live
        and change.desired
        and changed(change.live, change.desired.manifest(plan.owner_uid))
    ]
    if not restarted:
        return []
    text = (
        f"the pods of {few(restarted, _NAMED)} would restart, since the collection's presets now give the engine what the service asks"
        " for (KV cache transfer, parallelism, VLLM_ADDITIONAL_ARGS); set allow_restart: true to permit that"
    )
    return [Problem("", text, rule="preset-restart")]
