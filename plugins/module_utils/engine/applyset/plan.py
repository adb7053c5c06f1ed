# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be done for a set: its members as wanted, and those that it no longer holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...kube.apply_order import SetStage, set_stage
from ...kube.applyset import GroupKind, MemberKey
from ...kube.crds import is_crd, refused_changes
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reference import Reference
from ...kube.text import counted
from ..deletion_wait import is_dying
from ..desired import Desired
from ..ownership import Ownership, set_ownership
from ..plan import Action, Change, Plan
from ..policy import SetPolicy
from ..previous_managers import applied_before
from .members import ApplySet
from .snapshot import Live


@dataclass(slots=True)
class SetPlan(Plan):
    """What a set needs. sets: how other sets are called, by id. kept: members that are no longer wanted and stay, with the reason."""

    applyset: ApplySet
    members: Sequence[Desired]
    sets: Mapping[str, str]
    removals: list[Change] = field(default_factory=list)
    kept: dict[MemberKey, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether nothing has to be written for the members."""
        return not self.changes and not self.removals

    def whose(self, live: Json) -> Ownership:
        """Tell whose an object is."""
        return set_ownership(live, self.applyset.id, self.sets)

    def way_out(self, owned: Ownership) -> str:
        """Return what to do about an object of others."""
        if owned.adoptable:
            return "set adopt: true to take it over, or take it out of the set"
        return "take it out of the set, or remove it together with its owner"

    def unchangeable(self, dummy: str) -> str:
        """Return what to do about a field that cannot change: nothing of a set is made anew."""
        return "delete it by hand, and run this again"

    def wrote_before(self, entry: Json, dummy: Json) -> bool:
        """Tell whether an entry is of another tool that applied the object: what people changed by hand stays theirs."""
        return applied_before(entry, self.applyset.manager)


def plan_set(
    applyset: ApplySet,
    members: Sequence[Desired],
    live: Live,
    policy: SetPolicy,
    sets: Mapping[str, str],
) -> SetPlan:
    """Compare a set with what is there. sets: how other sets are called, by id."""
    plan = SetPlan(applyset, members, sets, policy=policy)
    for wanted in members:
        there = live.get(MemberKey.of(wanted.reference))
        if there is not None and is_crd(there):
            texts = refused_changes(wanted.manifest(), there)
            plan.problems += [Problem("", text, rule="crd-change") for text in texts]
        plan.weigh(wanted, there, adopt=policy.adopt)
    if policy.prune:
        _plan_removals(plan, live, policy)
    return plan


def lost_data(reference: Reference) -> list[Problem]:
    """Return a warning where the deletion of a member loses what others wrote into it."""
    if reference.kind != "PersistentVolumeClaim":
        return []
    text = (
        f"{reference} is deleted, and so is its data, unless the reclaim policy of its volume is Retain; "
        "to keep both, put it back, or take its label of the set away"
    )
    return [Problem("", text, "warning", rule="data-lost")]


def _plan_removals(plan: SetPlan, live: Live, policy: SetPolicy) -> None:
    wanted = {MemberKey.of(member.reference) for member in plan.members}
    for key, there in live.members.items():
        if key in wanted or is_dying(there):
            continue
        reference = Reference.of(there)
        if why := keeps(reference, policy):
            plan.kept[key] = why
            text = f"{reference} is no longer in the set and is kept: {why}"
            plan.problems.append(Problem("", text, "warning", rule="kept"))
        else:
            plan.removals.append(removal(there, plan.applyset, "the set no longer contains it"))
            plan.problems += lost_data(reference)
    plan.removals.sort(key=lambda change: change.stage, reverse=True)
    if not policy.max_deletions.allows(len(plan.removals), len(live.members)):
        names = ", ".join(str(change.reference) for change in plan.removals[:5])
        text = (
            f"{counted(len(plan.removals), 'object')} of the set would be deleted ({names} …), more than max_deletions allows; "
            f"set max_deletions: {len(plan.removals)} if that is meant"
        )
        plan.problems.append(Problem("", text, rule="max-deletions"))


def keeps(reference: Reference, policy: SetPolicy) -> str:
    """Return why an object is not deleted although the set no longer wants it, empty where it may go."""
    if reference.kind == "CustomResourceDefinition" and policy.keep_crds:
        return (
            "with a CRD all its objects are deleted; keep_crds: false deletes it once it has none"
        )
    return ""


def removal(live: Json, applyset: ApplySet, reason: str) -> Change:
    """Return the deletion of a member, or of an object of a kind that goes."""
    name = Reference.of(live)
    return Change(Action.DELETE, name, applyset.parent, set_stage(name), None, live, reason)


def kinds_of(plan: SetPlan) -> set[GroupKind]:
    """Return the kinds of which the set has members."""
    wanted = {GroupKind.of(member.reference) for member in plan.members if not member.shared}
    return wanted | {GroupKind(key.group, key.kind) for key in plan.kept}


def coming_namespaces(changes: Sequence[Change]) -> frozenset[str]:
    """Return the namespaces that a plan would create."""
    return frozenset(
        change.reference.name
        for change in changes
        if change.stage is SetStage.NAMESPACE and change.action is Action.CREATE
    )
