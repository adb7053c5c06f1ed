# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be done for services: for each its custom resource, its children, and what it no longer wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..cluster.connection import Cluster
from ..kube import managed_fields
from ..kube.intent import Stage
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from . import FIELD_MANAGER, METADATA_ONLY
from .deletion_wait import is_dying
from .desired import Desired, notes_of, owner_value
from .immutable import made_anew
from .ownership import Owner, Ownership, ownership
from .plan import Action, Change, Plan
from .policy import Policy
from .previous_managers import held_by_controller, wrote_before
from .snapshot import Snapshot, existing


@dataclass(slots=True)
class ServicePlan(Plan):
    """What one service needs.

    parent: what carries the owner references, with its live object. controller: the field manager of the service's controller, where
    none is seen. nothing: the service is meant to have no child at all.
    """

    service: Reference
    parent: Desired
    parent_live: Json | None
    children: tuple[Desired, ...]
    parent_refused: bool = False
    controller: str = ""
    nothing: bool = False

    @property
    def owner_uid(self) -> str:
        """The parent's uid, empty while it does not exist."""
        return str(self.parent_live["metadata"].get("uid", "")) if self.parent_live else ""

    def whose(self, live: Json) -> Ownership:
        """Tell whose an object is; with `adopt` one that its controller writes as well is taken from it."""
        owned = ownership(live, self.service, self.policy.fleet)
        if (
            owned.ours
            and self.policy.adopt
            and held_by_controller(live, self.parent_live, self.service)
        ):
            return Ownership(Owner.CONTROLLER, "its controller wrote it as well")
        return owned

    def way_out(self, owned: Ownership) -> str:
        """Return what to do about an object of others."""
        return _WAY_OUT[owned.owner]

    def unchangeable(self, kind: str) -> str:
        """Return what to do about a field of a kind that cannot change."""
        return made_anew(kind)

    def wrote_before(self, entry: Json, live: Json) -> bool:
        """Tell whether an entry is of the service's controller, or of a person's tool."""
        return wrote_before(entry, live, self.parent_live, self.service)

    def refuse(self, wanted: Desired, live: Json, owned: Ownership) -> None:
        """Note that the name is taken. A service that is somebody else's as a whole is said once, not for each of its children."""
        if not self.parent_refused:
            Plan.refuse(self, wanted, live, owned)
        self.parent_refused |= wanted is self.parent


#: What to do about an object that is not the service's.
_WAY_OUT = {
    Owner.OTHER_SERVICE: "rename one of the services",
    Owner.OTHER_FLEET: "set fleet to that name, or rename the service",
    Owner.CONTROLLER: "rename the service, remove the object, or set adopt: true to take it over",
    Owner.OTHER_CONTROLLER: "rename the service, or remove the object together with its owner",
    Owner.STRANGER: "rename the service, remove the object, or set adopt: true to take it over",
}


def plan_service(
    parent: Desired, children: Sequence[Desired], snapshot: Snapshot, policy: Policy
) -> ServicePlan:
    """Compare one service with the snapshot. What is absent from it is planned as a create, still to be looked up."""
    service = parent.service
    live = snapshot.get(parent.reference)
    # The garbage collector takes the children of a parent that goes: they are planned for the one that comes after it.
    there = None if live and is_dying(live) else live
    plan = ServicePlan(service, parent, there, tuple(children), policy=policy)
    for wanted in (parent, *children):
        adopt = policy.adopt or wanted is parent
        if wanted.reference in snapshot.proved:
            plan.unchanged.append(wanted.reference)
        else:
            plan.weigh(wanted, snapshot.get(wanted.reference), adopt=adopt)
    if plan.changes and there is not None and notes_of(there) != parent.notes:
        _note(plan, there)
    for kind in dict.fromkeys(
        (each.reference.api_version, each.reference.kind) for each in (parent, *children)
    ):
        if kind in snapshot.missing:
            plan.problems.append(Problem("", str(snapshot.missing[kind]), rule="missing-kind"))
    return plan


def _note(plan: ServicePlan, live: Json) -> None:
    """Let the parent say how its children are made and of which kinds there may be some, whenever one of them is written."""
    if plan.parent.reference in plan.unchanged:
        plan.unchanged.remove(plan.parent.reference)
        plan.add(
            Action.UPDATE,
            plan.parent,
            live,
            "it does not say which release made its objects, or of which kinds they are",
        )


def look_up_strangers(
    cluster: Cluster,
    plans: Iterable[ServicePlan],
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
        plan.weigh(change.desired, live, adopt=plan.policy.adopt or is_parent)
    return frozenset(taken)


def removals(snapshot: Snapshot, plan: ServicePlan) -> list[Change]:
    """Return the service's objects that it no longer wants and that its plan does not deal with, last stage first.

    None of a service that wants nothing at all where that is not meant so: then it is a fault of whoever rendered it.
    """
    if not plan.children and not plan.nothing:
        return []
    wanted = {plan.parent.reference, *(child.reference for child in plan.children)}
    wanted |= {change.reference for change in plan.changes}
    return deletions(snapshot, plan.service, keep=wanted, reason="the service no longer needs it")


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
    "ResourceClaimTemplate": Stage.CONFIG,
    "PersistentVolume": Stage.CONFIG,
    "PersistentVolumeClaim": Stage.SERVICE,
    "RoleBinding": Stage.CONFIG,
    "ClusterRoleBinding": Stage.CONFIG,
    "Service": Stage.SERVICE,
    "Certificate": Stage.CERTIFICATE,
    "Deployment": Stage.WORKLOAD,
    "LeaderWorkerSet": Stage.WORKLOAD,
    "Job": Stage.WORKLOAD,
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
