# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be done for a set: every difference between its members and what is there, before anything is written."""

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
from ..immutable import immutable_field
from ..noop_proof import doubt, kept_by_server
from ..plan import Action
from .members import Member
from .ownership import holder_of, refusal
from .policy import SetPolicy
from .snapshot import Live


@dataclass(frozen=True, slots=True)
class Step:
    """One object that is not as it should be. member: None where it is to go. live: as it was read, None where it is not there."""

    action: Action
    reference: Reference
    stage: SetStage
    member: Member | None
    live: Json | None
    reason: str
    warning: str = ""


@dataclass(slots=True)
class SetPlan:
    """What a set needs. kept: members that are no longer wanted and stay, with the reason. dying: objects that have to be gone before."""

    members: Sequence[Member]
    steps: list[Step] = field(default_factory=list)
    removals: list[Step] = field(default_factory=list)
    unchanged: list[Reference] = field(default_factory=list)
    kept: dict[MemberKey, str] = field(default_factory=dict)
    dying: dict[Reference, Json] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether nothing has to be written for the members."""
        return not self.steps and not self.removals

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that forbid to write anything."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


def plan_set(
    members: Sequence[Member], live: Live, policy: SetPolicy, sets: Mapping[str, str]
) -> SetPlan:
    """Compare a set with what is there. sets: how other sets are called, by id."""
    plan = SetPlan(members)
    for member in members:
        _plan_member(plan, member, live, policy, sets)
    if policy.prune:
        _plan_removals(plan, live, policy)
    return plan


def _plan_member(
    plan: SetPlan, member: Member, live: Live, policy: SetPolicy, sets: Mapping[str, str]
) -> None:
    ours = live.members.get(member.key)
    there = ours or live.others.get(member.key)
    if there is None:
        plan.steps.append(_step(Action.CREATE, member, None, "it is not there"))
        return
    if is_crd(there):
        texts = refused_changes(member.desired.manifest(""), there)
        plan.problems += [Problem("", text, rule="crd-change") for text in texts]
    if ours is None and not member.shared:
        holder = holder_of(there, sets)
        if not (policy.adopt and holder.adoptable):
            text = refusal(member.reference, holder)
            plan.problems.append(Problem("", text, rule="ownership"))
            return
        if not is_dying(there):
            plan.steps.append(_step(Action.ADOPT, member, there, holder.text, holder.advice))
            return
    if is_dying(there):
        plan.dying[member.reference] = there
        plan.steps.append(_step(Action.CREATE, member, None, "it was being deleted"))
        return
    _compare(plan, member, there)


def _compare(plan: SetPlan, member: Member, live: Json) -> None:
    reason = doubt(member.desired, live, "")
    if reason is None:
        plan.unchanged.append(member.reference)
        plan.problems += kept_by_server(member.desired, live, "")
        return
    obstacle = immutable_field(member.desired.manifest(""), live)
    if obstacle is not None:
        text = f"{member.reference}: {obstacle}; delete it by hand, and run this again"
        plan.problems.append(Problem("", text, rule="immutable"))
    plan.steps.append(_step(Action.UPDATE, member, live, reason))


def _plan_removals(plan: SetPlan, live: Live, policy: SetPolicy) -> None:
    wanted = {member.key for member in plan.members}
    for key, there in live.members.items():
        if key in wanted or is_dying(there):
            continue
        reference = Reference.of(there)
        why = keeps(reference, policy)
        if why:
            plan.kept[key] = why
            text = f"{reference} is no longer in the set and is kept: {why}"
            plan.problems.append(Problem("", text, "warning", rule="kept"))
            continue
        plan.removals.append(removal(there, "the set no longer holds it"))
    plan.removals.sort(key=lambda step: step.stage, reverse=True)
    if not policy.max_deletions.allows(len(plan.removals), len(live.members)):
        names = ", ".join(str(step.reference) for step in plan.removals[:5])
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


def removal(live: Json, reason: str) -> Step:
    """Return the deletion of a member."""
    reference = Reference.of(live)
    return Step(Action.DELETE, reference, set_stage(reference), None, live, reason)


def kinds_of(members: Sequence[Member], kept: Mapping[MemberKey, str]) -> set[GroupKind]:
    """Return the kinds of which the set has members."""
    wanted = {GroupKind.of(member.reference) for member in members if not member.shared}
    return wanted | {GroupKind(key.group, key.kind) for key in kept}


def _step(
    action: Action, member: Member, live: Json | None, reason: str, warning: str = ""
) -> Step:
    return Step(action, member.reference, member.stage, member, live, reason, warning)
