# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether objects may be adopted, before any of them is: not from another release, and not where their pods would restart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError
from ...kube import managed_fields
from ...kube.intent import Stage
from ...kube.labels import RECOMMENDED_PREFIX
from ...kube.manifest import Json, value_at
from ...kube.problem import Problem
from ...kube.text import few
from .. import FIELD_MANAGER
from ..desired import PLACEHOLDER_UID, Desired
from ..plan import Action, Change
from ..previous_managers import entries
from ..restarts import TEMPLATES
from ..service_plan import ServicePlan
from .adopt import foresee

VERSION_LABEL = f"{RECOMMENDED_PREFIX}version"
#: How many fields a problem names.
NAMED_FIELDS = 10

Adopted = tuple[Change, Desired, Json]


def objections(cluster: Cluster, plan: ServicePlan, *, allow_restart: bool) -> list[Problem]:
    """Return what speaks against adopting a service's objects; a warning for each manager that keeps owning fields beside us."""
    adopted = [
        (change, change.desired, change.live)
        for change in plan.changes
        if change.action is Action.ADOPT and change.desired and change.live
    ]
    children = [each for each in adopted if each[0].stage is not Stage.PARENT]
    if problems := [problem for each in children if (problem := _release(*each))]:
        return problems
    found = [problem for each in children for problem in _shared(*each, plan)]
    if not allow_restart:
        found += _restarts(cluster, children, plan)
    return found


def _release(change: Change, wanted: Desired, live: Json) -> Problem | None:
    """Return that an object was made by another release than ours is: adopting it would be an upgrade as well."""
    theirs, ours = _version(live), _version(wanted.manifest(PLACEHOLDER_UID))
    if theirs is None or ours is None or theirs == ours:
        return None
    return Problem(
        "releases",
        f'{change.reference} was made by release "{theirs}" (label {VERSION_LABEL}), but the task asks for "{ours}"; adopt it with the '
        "release that made it, and change the release in a separate run",
        rule="adopt-release",
    )


def _version(manifest: Json) -> str | None:
    return (manifest["metadata"].get("labels") or {}).get(VERSION_LABEL)


def _shared(change: Change, wanted: Desired, live: Json, plan: ServicePlan) -> Iterator[Problem]:
    """Give a warning for each manager that keeps fields which we want: it may write them again, and they outlive our wish."""
    manifest = managed_fields.tracked(wanted.manifest(PLACEHOLDER_UID))
    for entry in entries(live):
        manager = entry.get("manager")
        if (
            manager != FIELD_MANAGER
            and not entry.get("subresource")
            and not plan.wrote_before(entry, live)
            and _meets(entry.get("fieldsV1") or {}, manifest)
        ):
            yield Problem(
                "",
                f"{manager} writes fields of {change.reference} as well and keeps them; "
                "stop it, or it may undo what is applied here",
                "warning",
                rule="adopt-shared",
            )


def _meets(fields: Json, value: Any) -> bool:
    """Tell whether fields and a manifest have something in common; lists in both count as such."""
    if not isinstance(value, dict):
        return True
    return any(
        name in value and (not below or _meets(below, value[name]))
        for name, below in managed_fields.members(fields).items()
    )


def _restarts(cluster: Cluster, adopted: Sequence[Adopted], plan: ServicePlan) -> list[Problem]:
    """Return a problem for each workload that adoption would give another pod template."""
    calls = [
        partial(_restart, cluster, change, wanted, live, plan, path)
        for change, wanted, live in adopted
        for path in TEMPLATES
        if value_at(live, path)
    ]
    return [problem for found in cluster.parallel(calls) for problem in found]


def _restart(
    cluster: Cluster,
    change: Change,
    wanted: Desired,
    live: Json,
    plan: ServicePlan,
    path: tuple[str, ...],
) -> list[Problem]:
    try:
        after = foresee(cluster, live, wanted, plan)
    except ClusterError as error:
        return [Problem("", f"{change.reference} cannot be adopted: {error}", rule="adopt")]
    templates = value_at(live, path), value_at(after, path)
    fields = sorted(_differing(*templates, ".".join(path)))
    if not fields:
        return []
    named = few(fields, NAMED_FIELDS)
    return [
        Problem(
            "",
            f"adopting {change.reference} would restart its pods, since these fields change: {named}; "
            "set allow_restart: true to permit that",
            rule="adopt-restart",
        )
    ]


def _differing(before: Any, after: Any, path: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            yield from _differing(before.get(key), after.get(key), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (left, right) in enumerate(zip(before, after, strict=True)):
            yield from _differing(left, right, f"{path}[{number}]")
    elif before != after:
        yield path
