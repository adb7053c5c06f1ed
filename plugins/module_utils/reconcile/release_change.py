# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of services whose objects are of another release than the wanted one, of KServe or of the collection's presets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..cluster.connection import Cluster
from ..engine import FIELD_MANAGER
from ..engine.desired import release_of
from ..engine.plan import Action, Change
from ..engine.restarts import restarting
from ..engine.service_plan import ServicePlan
from ..kinds.kind import OtherRelease, Pair, ServiceKind
from ..kube import managed_fields
from ..kube.intent import Stage
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.release import ControllerRelease
from ..kube.text import few
from .compiled_service import CompiledService

#: How many workloads a warning names.
_NAMED = 10


def release_problems(
    cluster: Cluster, target: CompiledService, plan: ServicePlan
) -> Iterator[Problem]:
    """Yield that objects cannot be adopted by another release, that two releases made them, or that pods of ours restart for another one."""
    kind, settings = target.service.kind, target.service.settings
    if kind.releases.installed is None or not plan.changes:
        return
    option = settings.release.option
    adopting = any(
        change.action is Action.ADOPT and change.stage is not Stage.PARENT
        for change in plan.changes
    )
    noted = _noted_otherwise(plan, str(settings.release))
    if noted and target.service.release.source != "option":
        names = few([str(reference) for dummy, reference in noted], _NAMED)
        theirs = " and ".join(dict.fromkeys(release for release, dummy in noted))
        yield Problem(
            option,
            f"{names} was made as {theirs}, and the service has {settings.release} ({target.service.release.reason}); set {option} to "
            "choose one",
            rule="two-releases",
        )
        return
    found = _other_release(target, plan, noted, adopting=adopting)
    if found is None:
        return
    if adopting:
        yield Problem(
            option,
            f"the service was made by {found.theirs} ({found.seen}), but the task asks for {found.wanted}; adopt it with the release "
            "that made it, and change the release in a separate run",
            rule="adopt-release",
        )
        return
    restarted = restarting(cluster, plan)
    if restarted:
        names = few([str(reference) for reference in restarted], _NAMED)
        yield Problem(
            option,
            f"the service was made by {found.theirs} ({found.seen}), but the task asks for {found.wanted}: the pods of {names} restart",
            "warning",
            rule="release-restart",
        )


def left_behind(
    target: CompiledService, plan: ServicePlan, deletions: Sequence[Change]
) -> Iterator[Problem]:
    """Yield what a later release has made and the wanted one does not know: what goes, and what others wrote and stays."""
    kind, release = target.service.kind, target.service.settings.release
    live = plan.parent_live
    if live is None or kind.releases.installed is None:
        return
    before = kind.releases.named(release_of(live))
    made = {*kind.children.kinds_at(release, ())}
    gone = [
        str(change.reference)
        for change in deletions
        if change.service == target.reference
        and (change.reference.api_version, change.reference.kind) not in made
    ]
    unknown = _unknown_status(kind, release, live)
    entry = managed_fields.apply_entry(live, FIELD_MANAGER, "status") or {}
    ours = (entry.get("fieldsV1") or {}).get("f:status") or {}
    gone += [f"status.{name}" for name in unknown if f"f:{name}" in ours]
    kept = [f"status.{name}" for name in unknown if f"f:{name}" not in ours]
    if gone and before is not None and before > release:
        text = f"{release.product} {release} does not know what {before} made: {few(gone, _NAMED)} will be gone"
        yield Problem(release.option, text, "warning", rule="release-drops")
    if kept:
        text = f"the status has fields that {release.product} {release} does not know; they stay as they are: {few(kept, _NAMED)}"
        yield Problem(release.option, text, "warning", rule="status-kept")


def _unknown_status(
    kind: ServiceKind[Any, Any], release: ControllerRelease, live: Json
) -> list[str]:
    if kind.releases.status_fields is None:
        return []
    return sorted((live.get("status") or {}).keys() - kind.releases.status_fields(release))


def _noted_otherwise(plan: ServicePlan, wanted: str) -> list[tuple[str, Reference]]:
    """Return the objects of a plan that say another release than the wanted one, with what they say. The custom resource comes first."""
    found = [plan.parent_live] if plan.parent_live else []
    for change in plan.changes:
        if change.action is Action.ADOPT or change.reference == plan.parent.reference:
            continue
        if change.live:
            found.append(change.live)
    noted = [(release_of(live), Reference.of(live)) for live in found]
    return [(release, reference) for release, reference in noted if release not in ("", wanted)]


def _other_release(
    target: CompiledService,
    plan: ServicePlan,
    noted: Sequence[tuple[str, Reference]],
    *,
    adopting: bool,
) -> OtherRelease | None:
    """Return by which other release objects of a plan were made: by what they say, else by their shape."""
    kind, settings = target.service.kind, target.service.settings
    if noted and not adopting:
        release, reference = noted[0]
        theirs = f"{settings.release.product} {release}"
        return OtherRelease(theirs, str(settings.release), f"annotation of {reference}")
    if kind.other_release is None or release_of(plan.parent_live) == str(settings.release):
        return None
    pairs: list[Pair] = [(plan.parent_live, None)] if plan.parent_live else []
    for change in plan.changes:
        if change.live:
            wanted = change.desired.manifest(plan.owner_uid) if change.desired else None
            pairs.append((change.live, wanted))
    return kind.other_release(settings, pairs, adopting)


def preset_problems(
    target: CompiledService, plan: ServicePlan, *, allow_restart: bool
) -> list[Problem]:
    """Return that pods would restart because the collection's presets say more than before, though nobody changed the service."""
    changed = target.service.kind.changed_by_presets
    if changed is None or allow_restart:
        return []
    if any(change.stage is Stage.PARENT and change.is_edit for change in plan.changes):
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
