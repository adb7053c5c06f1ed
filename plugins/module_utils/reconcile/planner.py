# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at a fleet and planning what each service needs; nothing is written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import KindMissing
from ..engine.crd_established import wait_for_kinds
from ..engine.deletion_wait import is_dying
from ..engine.desired import kinds_of, owner_value, release_of
from ..engine.owner_object import custom_resource, record
from ..engine.plan import Change
from ..engine.policy import Policy
from ..engine.service_plan import ServicePlan, deletions, plan_give_back, plan_service, removals
from ..engine.snapshot import Kind, Snapshot, take_snapshot
from ..engine.streaming_proof import Prover
from ..fleet.controllers import Controllers
from ..fleet.service import Service
from ..kinds.kind import ServiceKind
from ..kinds.registry import KINDS
from ..kube.manifest import Json
from ..kube.problem import InputError, Problem
from ..kube.reference import Reference
from ..kube.release import ControllerRelease
from .compiled_service import CompiledService
from .controller_mode import AUTO, CONTROLLER, contradictions, decide
from .remaining_users import still_used


@dataclass(slots=True)
class Planned:
    """A look at the whole fleet. plans: of the services that are not left out. removed: see `deletions`."""

    snapshot: Snapshot
    plans: list[ServicePlan]
    removed: list[Change]
    services: frozenset[Reference]

    @property
    def empty(self) -> bool:
        return not self.removed and not any(plan.changes or plan.errors for plan in self.plans)

    @property
    def deletions(self) -> list[Change]:
        """What is to be deleted at the end; nothing of a service that was left out after it was planned."""
        left_out = self.services - {plan.service for plan in self.plans}
        sooner = {change.reference for plan in self.plans for change in plan.changes}
        return [
            change
            for change in self.removed
            if change.service not in left_out and change.reference not in sooner
        ]


class Planner:
    """Plans for the services of a fleet.

    wanted: `direct`, `controller` or `auto`. keeps: services that the task names, valid or not; every other one of the fleet is
    removed. None: no other one is touched. listed: what was listed before, for the first look.
    """

    def __init__(
        self,
        cluster: Cluster,
        policy: Policy,
        controllers: Controllers,
        *,
        wanted: str,
        keeps: frozenset[Reference] | None,
        listed: Snapshot,
    ) -> None:
        self._cluster = cluster
        self._policy = policy
        self._controllers = controllers
        self._wanted = wanted
        self._keeps = keeps
        self._begun: Snapshot | None = None
        self._listed = listed

    def begin(self, services: Sequence[Service]) -> Snapshot:
        """List what compiling the services depends on: their custom resources, and the children that are compared with live ones."""
        kinds, places = self._scope(services)
        early = [pair for kind in kinds for pair in (kind.key, *kind.compared_kinds)]
        listed, self._listed = self._listed, Snapshot({})
        rest = [pair for pair in early if pair not in listed.kinds]
        self._begun = listed | take_snapshot(self._cluster, rest, self._policy.fleet, places)
        return self._begun

    def first(self, services: Sequence[Service], targets: Sequence[CompiledService]) -> Planned:
        """Look, decide who reconciles each service, and plan; kinds whose CRD was applied a moment ago are waited for."""
        planned = self._first(services, targets, {})
        arrived = {} if planned.empty else self._wait_for_kinds(planned.snapshot, targets)
        return self._first(services, targets, arrived) if arrived else planned

    def again(self, targets: Sequence[CompiledService]) -> Planned:
        """Look again, and plan for what is there now."""
        return self._plan(targets, self._look(targets))

    def _first(
        self,
        services: Sequence[Service],
        targets: Sequence[CompiledService],
        kinds: Mapping[Kind, KindMissing | None],
    ) -> Planned:
        """Look, decide and plan once. kinds: what is known of those that were missing before."""
        snapshot = self._look(targets)
        snapshot.missing |= {kind: error for kind, error in kinds.items() if error}
        parents = self._custom_resources(services, snapshot)
        for target in targets:
            target.reconciler = self._decide(target.service, snapshot, parents)
        return self._plan(targets, snapshot)

    def _wait_for_kinds(
        self, snapshot: Snapshot, targets: Sequence[CompiledService]
    ) -> Mapping[Kind, KindMissing | None]:
        """Wait for kinds that the services need and whose CRD was applied a moment ago."""
        wanted = {target.service.kind.key for target in targets}
        for target in targets:
            wanted |= {
                (child.reference.api_version, child.reference.kind) for child in target.children
            }
        return wait_for_kinds(self._cluster, sorted(wanted & snapshot.missing.keys()))

    def _look(self, targets: Sequence[CompiledService]) -> Snapshot:
        """List the fleet: the custom resources first, since their uids are in the owner references of the children."""
        services = [target.service for target in targets]
        kinds, places = self._scope(services)
        begun = self._begun or self.begin(services)
        self._begun = None
        uids = {
            reference: str(live["metadata"]["uid"])
            for reference, live in begun.objects.items()
            if (reference.api_version, reference.kind) in KINDS and not is_dying(live)
        }
        # What changes hands is needed whole.
        children = (
            [] if self._policy.adopt else [each for target in targets for each in target.children]
        )
        prover = Prover(children, uids)
        below: list[Kind] = []
        left_only: set[Kind] = set()
        for kind in kinds:
            made = [each for each in targets if each.service.kind is kind]
            used = [each for each in self._used_kinds(kind, made, begun) if each not in begun.kinds]
            below += used
            left_only |= set(used) - _made_kinds(kind, services)
        fleet = self._policy.fleet
        return begun | take_snapshot(self._cluster, below, fleet, places, prover, left_only)

    def _used_kinds(
        self, kind: ServiceKind[Any, Any], targets: Sequence[CompiledService], begun: Snapshot
    ) -> list[Kind]:
        """Return the kinds of children that services of a kind may have. Of those that the task does not name, anything is possible."""
        if self._keeps is not None:
            return list(kind.child_kinds)
        parents = [
            live
            for reference, live in begun.objects.items()
            if (reference.api_version, reference.kind) == kind.key
        ]
        releases: set[ControllerRelease] = {target.service.settings.release for target in targets}
        # What another release has made, and this one does not, is looked for, too.
        for live in parents:
            before = kind.releases.named(release_of(live))
            releases |= {before} if before is not None else set()
        noted = _noted_kinds(targets, parents, begun)
        found = [
            pair
            for each in sorted(releases)
            for pair in kind.children.kinds_at(each, parents, noted)
        ]
        return list(dict.fromkeys(found))

    def _scope(
        self, services: Sequence[Service]
    ) -> tuple[Sequence[ServiceKind[Any, Any]], Sequence[str]]:
        """Return the kinds to list, and the namespaces; none of these for all."""
        if self._keeps is not None:
            return list(KINDS.values()), []
        named = {service.kind.key: service.kind for service in services}
        places = {service.reference.namespace for service in services}
        reach = any(kind.reaches for kind in named.values())
        return list(named.values()), [] if reach else sorted(places)

    def _custom_resources(
        self, services: Sequence[Service], snapshot: Snapshot
    ) -> dict[Reference, Json]:
        """Return the custom resources that decide who reconciles: the fleet's, and those that carry no label of ours yet."""
        unlabelled = [
            service.reference
            for service in services
            if self._wanted == AUTO
            and service.kind.key not in snapshot.missing
            and snapshot.get(service.reference) is None
        ]
        calls = [
            partial(self._cluster.get, reference, metadata_only=True) for reference in unlabelled
        ]
        answers = zip(unlabelled, self._cluster.parallel(calls), strict=True)
        return snapshot.objects | {reference: live for reference, live in answers if live}

    def _decide(
        self, service: Service, snapshot: Snapshot, parents: Mapping[Reference, Json]
    ) -> str:
        live = parents.get(service.reference)
        return decide(
            self._wanted, service.kind, service.reference, snapshot, live, self._controllers
        )

    def _plan(self, targets: Sequence[CompiledService], snapshot: Snapshot) -> Planned:
        plans = [plan_target(target, snapshot, self._policy) for target in targets]
        gone = (
            [change for plan in plans for change in removals(snapshot, plan)]
            if self._policy.prune
            else []
        )
        if self._keeps is not None:
            leaving = services_of(snapshot) - self._keeps
            if used := [*still_used(self._cluster, leaving, snapshot)]:
                raise InputError(used)
            for service in sorted(leaving):
                gone += deletions(
                    snapshot, service, keep=set(), reason="the list no longer names the service"
                )
        return Planned(snapshot, plans, gone, frozenset(target.reference for target in targets))


def _made_kinds(kind: ServiceKind[Any, Any], services: Sequence[Service]) -> set[Kind]:
    """Return the kinds of children that services of a kind are given in their releases."""
    releases = {service.settings.release for service in services if service.kind is kind}
    return {pair for release in releases for pair in kind.children.kinds_at(release, ())}


def _noted_kinds(
    targets: Sequence[CompiledService], parents: Sequence[Json], begun: Snapshot
) -> set[str] | None:
    """Return the kinds of children that services want, and those that their custom resources note; None where one notes none.

    A service that is not there may have left anything.
    """
    found = {child.reference.kind for target in targets for child in target.children}
    for live in (*parents, *(begun.get(target.reference) for target in targets)):
        kinds = kinds_of(live)
        if kinds is None:
            return None
        found |= kinds
    return found


def _kinds_to_note(target: CompiledService, snapshot: Snapshot) -> frozenset[str] | None:
    """Return of the kinds of only some services those of which a service wants children, or still has some; None where nobody asks."""
    of_some = target.service.kind.children.of_some
    if not of_some or target.reconciler == CONTROLLER:
        return None
    wanted = {child.reference.kind for child in target.children}
    there = {each.kind for each in snapshot.owned_by(owner_value(target.reference))}
    return of_some & (wanted | there)


def plan_target(target: CompiledService, snapshot: Snapshot, policy: Policy) -> ServicePlan:
    """Compare a service with the snapshot. Where its controller reconciles it, the custom resource is all that is ours.

    Children of ours go back to the controller, where `adopt` permits that objects change hands.
    """
    kind = target.service.kind
    stands_in = kind.key in snapshot.missing and kind.namespaced
    make_parent = record if stands_in else custom_resource
    # What its controller makes may be of another release tomorrow.
    noted = "" if target.reconciler == CONTROLLER else target.service.noted_release
    parent = make_parent(target.document, policy.fleet, noted, _kinds_to_note(target, snapshot))
    if target.reconciler == CONTROLLER:
        plan = plan_service(parent, (), snapshot, replace(policy, adopt=False))
        plan.controller = kind.field_manager
        plan.problems += contradictions(target, snapshot, policy)
        if policy.adopt:
            plan_give_back(plan, snapshot)
        return plan
    children = [child.owned_by(parent.reference) for child in target.children]
    plan = plan_service(parent, children, snapshot, policy)
    plan.nothing = target.nothing
    if not children and not target.nothing:
        text = "it renders to nothing at all, which would remove everything it has; use state: absent to remove it"
        plan.problems.append(Problem("", text, rule="empty-render"))
    return plan


def services_of(snapshot: Snapshot) -> set[Reference]:
    """Return the services whose objects are in the snapshot, from the owner annotations."""
    versions = {kind: api_version for api_version, kind in KINDS}
    found = set()
    for owner in snapshot.owners:
        kind, _slash, rest = owner.partition("/")
        namespace, _slash, name = rest.partition("/")
        if kind in versions and name:
            found.add(Reference(versions[kind], kind, namespace, name))
    return found
