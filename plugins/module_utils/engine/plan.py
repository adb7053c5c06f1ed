# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be done: every difference between what services want and what is there, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import KindMissing
from ..kube import managed_fields
from ..kube.intent import Stage
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from . import FIELD_MANAGER, METADATA_ONLY
from .deletion_wait import is_dying
from .desired import Desired, owner_value
from .immutable import immutable_difference
from .noop_proof import doubt, kept_by_server
from .ownership import Owner, ownership
from .policy import Policy
from .previous_managers import held_by_controller
from .snapshot import Kind, Snapshot

#: From this many objects of one kind and namespace on, one list is less than a read of each.
LIST_FROM = 4


class Action(Enum):
    """What is done to one object."""

    CREATE = "create"
    UPDATE = "update"
    ADOPT = "adopt"
    RECREATE = "recreate"
    #: A delete that comes before another change of its stage, not after everything.
    REPLACE = "replace"
    DELETE = "delete"
    GIVE_BACK = "give back"


@dataclass(frozen=True, slots=True)
class Change:
    """One object that is not as it should be. live: as it was listed; None where it is not there."""

    action: Action
    reference: Reference
    service: Reference
    stage: Stage
    desired: Desired | None
    live: Json | None
    reason: str


@dataclass(slots=True)
class ServicePlan:
    """What one service needs.

    parent: what carries the owner references, with its live object. dying: objects of it that are being deleted; each is planned as a
    create, and has to be gone before. controller: the field manager of the service's controller, where none is seen.
    nothing: the service is meant to have no child at all.
    """

    service: Reference
    parent: Desired
    parent_live: Json | None
    children: tuple[Desired, ...]
    changes: list[Change] = field(default_factory=list)
    unchanged: list[Reference] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    dying: dict[Reference, Json] = field(default_factory=dict)
    parent_refused: bool = False
    controller: str = ""
    nothing: bool = False

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that forbid to write anything for this service."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def owner_uid(self) -> str:
        """The parent's uid, empty while it does not exist."""
        return str(self.parent_live["metadata"].get("uid", "")) if self.parent_live else ""


def plan_service(
    parent: Desired, children: Sequence[Desired], snapshot: Snapshot, policy: Policy
) -> ServicePlan:
    """Compare one service with the snapshot. What is absent from it is planned as a create, still to be looked up."""
    service = parent.service
    live = snapshot.get(parent.reference)
    # The garbage collector takes the children of a parent that goes: they are planned for the one that comes after it.
    plan = ServicePlan(service, parent, None if live and is_dying(live) else live, tuple(children))
    for wanted in (parent, *children):
        adopt = policy.adopt or wanted is parent
        if wanted.reference in snapshot.proved:
            plan.unchanged.append(wanted.reference)
        else:
            _plan_object(plan, wanted, snapshot.get(wanted.reference), policy, adopt=adopt)
    for kind in dict.fromkeys(
        (child.reference.api_version, child.reference.kind) for child in children
    ):
        if kind in snapshot.missing:
            plan.problems.append(Problem("", str(snapshot.missing[kind]), rule="missing-kind"))
    return plan


def _plan_object(
    plan: ServicePlan, wanted: Desired, live: Json | None, policy: Policy, *, adopt: bool
) -> None:
    if live is None:
        plan.changes.append(_change(Action.CREATE, wanted, None, "it is not there"))
        return
    owned = ownership(live, plan.service, policy.fleet)
    adoptable = adopt and owned.owner in (Owner.CONTROLLER, Owner.STRANGER)
    if (owned.ours or adoptable) and is_dying(live):
        plan.dying[wanted.reference] = live
        plan.changes.append(_change(Action.CREATE, wanted, None, "it was being deleted"))
    elif owned.ours and policy.adopt and held_by_controller(live, plan.parent_live, plan.service):
        plan.changes.append(_change(Action.ADOPT, wanted, live, "its controller wrote it as well"))
    elif owned.ours:
        _plan_ours(plan, wanted, live, policy)
    elif adoptable:
        plan.changes.append(_change(Action.ADOPT, wanted, live, owned.text))
    else:
        text = f"{wanted.reference} exists already and {owned.text}; {WAY_OUT[owned.owner]}"
        if obstacle := immutable_difference(wanted.manifest(plan.owner_uid), live):
            text += f". {obstacle}"
        # A service that is somebody else's as a whole is said once, not for each of its children.
        if not plan.parent_refused:
            plan.problems.append(Problem("", text, rule="ownership"))
        plan.parent_refused |= wanted is plan.parent


#: What to do about an object that is not ours.
WAY_OUT = {
    Owner.OTHER_SERVICE: "rename one of the services",
    Owner.OTHER_FLEET: "set fleet to that name, or rename the service",
    Owner.CONTROLLER: "rename the service, remove the object, or set adopt: true to take it over",
    Owner.OTHER_CONTROLLER: "rename the service, or remove the object together with its owner",
    Owner.STRANGER: "rename the service, remove the object, or set adopt: true to take it over",
}


def _plan_ours(plan: ServicePlan, wanted: Desired, live: Json, policy: Policy) -> None:
    uid = plan.owner_uid if wanted.parent else ""
    reason = doubt(wanted, live, uid)
    if reason is None:
        plan.unchanged.append(wanted.reference)
        plan.problems += kept_by_server(wanted, live, uid)
        return
    obstacle = immutable_difference(wanted.manifest(uid), live)
    if obstacle is None:
        plan.changes.append(_change(Action.UPDATE, wanted, live, reason))
    elif wanted.reference.kind in policy.recreate:
        plan.changes.append(_change(Action.RECREATE, wanted, live, obstacle))
    else:
        plan.problems.append(Problem("", f"{wanted.reference}: {obstacle}", rule="immutable"))


def _change(action: Action, wanted: Desired, live: Json | None, reason: str) -> Change:
    return Change(action, wanted.reference, wanted.service, wanted.stage, wanted, live, reason)


def look_up_strangers(
    cluster: Cluster,
    plans: Iterable[ServicePlan],
    policy: Policy,
    only: frozenset[Reference] | None = None,
) -> frozenset[Reference]:
    """Replace each planned create whose name is taken: a labelled LIST does not show a stranger of the same name.

    An apply would merge into a stranger silently, so this comes before any write. A custom resource that its author applied by
    hand is no stranger: it is the service itself. only: objects to look up; all creates where it is None. Returns those found.
    """
    creates = [
        (plan, change)
        for plan in plans
        for change in plan.changes
        if change.action is Action.CREATE and (only is None or change.reference in only)
    ]
    taken = existing(cluster, [change.reference for dummy, change in creates])
    for plan, change in creates:
        live = taken.get(change.reference)
        if live is None or change.desired is None:
            continue
        plan.changes.remove(change)
        if (change.reference.api_version, change.reference.kind) not in METADATA_ONLY:
            live = cluster.get(change.reference) or live
        is_parent = change.stage is Stage.PARENT
        if is_parent:
            plan.parent_live = None if is_dying(live) else live
        _plan_object(plan, change.desired, live, policy, adopt=policy.adopt or is_parent)
    return frozenset(taken)


def existing(cluster: Cluster, references: Sequence[Reference]) -> dict[Reference, Json]:
    """Return which of these objects exist, by metadata-only reads: by name, or per kind and namespace, whichever is less."""
    groups: dict[tuple[Kind, str], list[Reference]] = {}
    for reference in references:
        groups.setdefault(
            ((reference.api_version, reference.kind), reference.namespace), []
        ).append(reference)
    calls: list[Callable[[], dict[Reference, Json]]] = []
    for (kind, namespace), members in groups.items():
        if len(members) < LIST_FROM:
            calls += [partial(_read, cluster, reference) for reference in members]
        else:
            calls.append(partial(_read_all, cluster, kind, namespace))
    found: dict[Reference, Json] = {}
    for answer in cluster.parallel(calls):
        if isinstance(answer, KindMissing):
            continue
        if isinstance(answer, Exception):
            raise answer
        found |= answer
    return {reference: found[reference] for reference in references if reference in found}


def _read(cluster: Cluster, reference: Reference) -> dict[Reference, Json]:
    live = cluster.get(reference, metadata_only=True)
    return {} if live is None else {reference: live}


def _read_all(cluster: Cluster, kind: Kind, namespace: str) -> dict[Reference, Json]:
    listing = cluster.list(*kind, namespace=namespace, metadata_only=True)
    return {Reference.of(item): item for item in listing.items}


def removals(snapshot: Snapshot, plan: ServicePlan) -> list[Change]:
    """Return the service's objects that it no longer wants and that its plan does not deal with, last stage first.

    None of a service that wants nothing at all where that is not meant so: then it is a fault of whoever rendered it.
    """
    if not plan.children and not plan.nothing:
        return []
    wanted = {plan.parent.reference, *(child.reference for child in plan.children)}
    wanted |= {change.reference for change in plan.changes}
    return deletions(snapshot, plan.service, keep=wanted, reason="the service no longer wants it")


def plan_give_back(plan: ServicePlan, snapshot: Snapshot) -> None:
    """Plan that the service's children go to its controller."""
    for reference, live in _ours(snapshot, plan.service).items():
        if reference != plan.parent.reference:
            stage = stage_of(reference, plan.service)
            reason = "the controller is to reconcile the service"
            plan.changes.append(
                Change(Action.GIVE_BACK, reference, plan.service, stage, None, live, reason)
            )


def deletions(
    snapshot: Snapshot, service: Reference, *, keep: set[Reference], reason: str
) -> list[Change]:
    """Return a delete for each object of a service but those to keep, last stage first."""
    changes = [
        Change(Action.DELETE, reference, service, stage_of(reference, service), None, live, reason)
        for reference, live in _ours(snapshot, service).items()
        if reference not in keep
    ]
    return sorted(changes, key=lambda change: change.stage, reverse=True)


def _ours(snapshot: Snapshot, service: Reference) -> dict[Reference, Json]:
    """Return the service's objects that are not being deleted.

    A copy that somebody made of one of them carries our marks too, but no apply of ours: it is left alone.
    """
    return {
        reference: live
        for reference, live in snapshot.owned_by(owner_value(service)).items()
        if not is_dying(live) and managed_fields.apply_entry(live, FIELD_MANAGER) is not None
    }


#: The stage of a kind that is deleted; what is not named here is a custom resource of the routing stage.
STAGES = {
    "Namespace": Stage.NAMESPACE,
    "ServiceAccount": Stage.ACCESS,
    "Role": Stage.ACCESS,
    "ClusterRole": Stage.ACCESS,
    "Secret": Stage.CONFIG,
    "ConfigMap": Stage.CONFIG,
    "OpenTelemetryCollector": Stage.CONFIG,
    "RoleBinding": Stage.CONFIG,
    "ClusterRoleBinding": Stage.CONFIG,
    "Service": Stage.SERVICE,
    "Certificate": Stage.CERTIFICATE,
    "Deployment": Stage.WORKLOAD,
    "LeaderWorkerSet": Stage.WORKLOAD,
    "HorizontalPodAutoscaler": Stage.WORKLOAD,
    "ScaledObject": Stage.WORKLOAD,
}
#: Knative calls what runs pods a Service, too.
_KNATIVE = ("serving.knative.dev", "Service")


def stage_of(reference: Reference, service: Reference) -> Stage:
    """Return the stage in which an object was applied, for those whose intent is gone."""
    if reference.kind == service.kind or is_record(reference, service):
        return Stage.PARENT
    if (reference.group, reference.kind) == _KNATIVE:
        return Stage.WORKLOAD
    return STAGES.get(reference.kind, Stage.ROUTING)


def is_record(reference: Reference, service: Reference) -> bool:
    """Tell whether an object is the ConfigMap that stands in for a custom resource whose kind is not installed."""
    return reference.kind == "ConfigMap" and reference.name == record_name(service)


def record_name(service: Reference) -> str:
    """Return the name of the ConfigMap that stands in for a custom resource, for example `chat.modelservice`."""
    return f"{service.name}.{service.kind.lower()}"
