# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a reconcile: look, plan, object, take the lease, look again, write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import AlreadyExists, Forbidden, KindMissing
from ..cluster.lease import leases
from ..engine import guards
from ..engine.adoptable import objections as objections_to_adopt
from ..engine.apply import Execution
from ..engine.established import wait_for_kinds
from ..engine.gone import is_dying
from ..engine.outcome import Outcome
from ..engine.parent import custom_resource, record
from ..engine.plan import (
    Change,
    ServicePlan,
    deletions,
    look_up_strangers,
    plan_give_back,
    plan_service,
    removals,
)
from ..engine.policy import Policy
from ..engine.proving import Prover
from ..engine.rights import Need, missing_rights, needs_of
from ..engine.snapshot import Kind, Snapshot, take_snapshot
from ..kube.intent import Intent, Stage
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import GivenObjects
from ..kube.reference import Reference
from ..services.registry import KINDS
from .arguments import IGNORE
from .fleet import Service, compile_fleet
from .looking import ClusterReader
from .target import (
    AUTO,
    CONTROLLER,
    Controllers,
    Target,
    contradictions,
    decide,
    objections,
    target_of,
    unlisted,
    unseen,
)


@dataclass(slots=True)
class Reconciled:
    """What a reconcile found and did, as far as it came.

    snapshot: what was there before the writes. lost: namespaces in which another run took over.
    """

    snapshot: Snapshot = field(default_factory=lambda: Snapshot({}))
    targets: list[Target] = field(default_factory=list)
    plans: list[ServicePlan] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    left_out: list[Complaint] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class _Planned:
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
        """What is to be deleted; nothing of a service that was left out after it was planned."""
        left_out = self.services - {plan.service for plan in self.plans}
        return [change for change in self.removed if change.service not in left_out]


class Reconciler:
    """One run over the services of a fleet.

    keeps: services that the task names, valid or not; every other one of the fleet is removed. None: no other one is touched.
    done: what the run did so far, also where `run` raises.
    """

    def __init__(
        self,
        cluster: Cluster,
        policy: Policy,
        *,
        reconciler: str,
        keeps: frozenset[Reference] | None,
        skip_invalid: bool,
        fit: str,
    ) -> None:
        self._cluster = cluster
        self._policy = policy
        self._wanted = reconciler
        self._keeps = keeps
        self._skip_invalid = skip_invalid
        self._fit = fit
        self._controllers = Controllers(cluster)
        self._reader = ClusterReader(cluster)
        self._taken: frozenset[Reference] = frozenset()
        self.done = Reconciled()

    def run(self, services: Sequence[Service]) -> None:
        """Make the cluster match the services.

        Raises InputError for what is found before the first write, ClusterError where the run cannot go on; then `done` tells what
        was written before.
        """
        done = self.done
        targets, done.left_out = compile_fleet(
            services, GivenObjects(), self._target, skip_invalid=self._skip_invalid
        )
        planned = self._first_plan(services, targets, {})
        arrived = {} if planned.empty else self._wait_for_kinds(planned.snapshot, targets)
        if arrived:
            planned = self._first_plan(services, targets, arrived)
        done.snapshot, done.targets, done.plans = planned.snapshot, targets, planned.plans
        done.warnings += unlisted(planned.snapshot, targets)
        if planned.empty:
            return
        new_namespaces = self._examine(planned, targets)
        if self._policy.dry_run:
            self._create_namespaces(new_namespaces)
            self._execute(planned, frozenset(new_namespaces), lambda dummy: None)
            return
        guards.wait_for_dying(self._cluster, planned.plans)
        self._refuse(planned.plans)
        self._create_namespaces(new_namespaces)
        with leases(self._cluster, self._policy.fleet, _written(planned)) as check:
            snapshot = self._look(done.targets)
            again = self._plan(done.targets, snapshot)
            # What was free before the lease is created, and the answer proves it; what was taken is looked at again.
            look_up_strangers(self._cluster, again.plans, self._policy, only=self._taken)
            guards.wait_for_dying(self._cluster, again.plans)
            self._refuse(again.plans)
            _keep_warnings(planned.plans, again.plans)
            done.snapshot, done.plans = snapshot, again.plans
            self._execute(again, frozenset(), check)

    def _first_plan(
        self,
        services: Sequence[Service],
        targets: Sequence[Target],
        kinds: Mapping[Kind, KindMissing | None],
    ) -> _Planned:
        """Look, decide who reconciles each service, and plan. kinds: what is known of those that were missing before."""
        snapshot = self._look(targets)
        snapshot.missing |= {kind: error for kind, error in kinds.items() if error}
        parents = self._custom_resources(services, snapshot)
        for target in targets:
            target.reconciler = self._decide(target.service, snapshot, parents)
        return self._plan(targets, snapshot)

    def _wait_for_kinds(
        self, snapshot: Snapshot, targets: Sequence[Target]
    ) -> Mapping[Kind, KindMissing | None]:
        """Wait for kinds that the services need and whose CRD was applied a moment ago."""
        wanted = {target.service.kind.key for target in targets}
        for target in targets:
            wanted |= {
                (child.reference.api_version, child.reference.kind) for child in target.children
            }
        return wait_for_kinds(self._cluster, sorted(wanted & snapshot.missing.keys()))

    def _target(self, service: Service, intent: Intent) -> Target:
        return target_of(service, intent, self._policy.fleet, self._wanted)

    def _look(self, targets: Sequence[Target]) -> Snapshot:
        """List the fleet: the custom resources first, since their uids stand in the owner references of the children."""
        everything = self._keeps is not None
        named = {target.service.kind.key: target.service.kind for target in targets}
        kinds = list(KINDS.values()) if everything else list(named.values())
        places = [] if everything else sorted({target.reference.namespace for target in targets})
        parents = take_snapshot(
            self._cluster, [kind.key for kind in kinds], self._policy.fleet, places
        )
        uids = {
            reference: str(live["metadata"]["uid"])
            for reference, live in parents.objects.items()
            if not is_dying(live)
        }
        # What changes hands is needed whole.
        children = (
            [] if self._policy.adopt else [each for target in targets for each in target.children]
        )
        prover = Prover(children, uids)
        below = [pair for kind in kinds for pair in kind.child_kinds]
        return parents | take_snapshot(self._cluster, below, self._policy.fleet, places, prover)

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
        found = dict(snapshot.objects)
        for reference, answer in zip(unlabelled, self._cluster.parallel(calls), strict=True):
            if isinstance(answer, Exception):
                raise answer
            if answer is not None:
                found[reference] = answer
        return found

    def _decide(
        self, service: Service, snapshot: Snapshot, parents: Mapping[Reference, Json]
    ) -> str:
        live = parents.get(service.reference)
        return decide(
            self._wanted, service.kind, service.reference, snapshot, live, self._controllers
        )

    def _plan(self, targets: Sequence[Target], snapshot: Snapshot) -> _Planned:
        plans = [plan_target(target, snapshot, self._policy) for target in targets]
        gone = (
            [change for plan in plans for change in removals(snapshot, plan)]
            if self._policy.prune
            else []
        )
        if self._keeps is not None:
            for service in sorted(services_of(snapshot) - self._keeps):
                gone += deletions(
                    snapshot, service, keep=set(), reason="the list no longer names the service"
                )
        return _Planned(snapshot, plans, gone, frozenset(target.reference for target in targets))

    def _examine(self, planned: _Planned, targets: Sequence[Target]) -> list[str]:
        """Look at everything that forbids a write. Returns the namespaces to create."""
        self._taken = look_up_strangers(self._cluster, planned.plans, self._policy)
        for target, plan in zip(targets, planned.plans, strict=True):
            plan.problems += objections(target, plan, self._controllers, self._policy)
            if plan.changes and target.reconciler != CONTROLLER:
                plan.problems += self._advice(target)
        self.done.warnings += unseen(self._controllers, targets)
        new = guards.missing_namespaces(self._cluster, planned.plans)
        if not self._policy.create_namespaces:
            for plan in planned.plans:
                if plan.service.namespace in new:
                    text = f'"{plan.service.namespace}" does not exist; create it, or set create_namespaces: true'
                    plan.problems.append(
                        Problem("metadata.namespace", text, rule="missing-namespace")
                    )
        if self._policy.adopt:
            for plan in planned.plans:
                plan.problems += objections_to_adopt(
                    self._cluster, plan, allow_restart=self._policy.allow_restart
                )
        self._check_fit(planned.plans)
        self._refuse(planned.plans)
        self._check_budget(planned)
        self._check_rights(planned, new)
        return new

    def _check_fit(self, plans: Sequence[ServicePlan]) -> None:
        """Look whether pods will find room, where workloads change at all."""
        changes = [change for plan in plans for change in plan.changes]
        if self._fit == IGNORE or not any(change.stage is Stage.WORKLOAD for change in changes):
            return
        # Loading it costs a tenth of a settled run, which has no use for it.
        from .placing import check_fit

        self.done.warnings += check_fit(self._cluster, plans, self._fit)

    def _advice(self, target: Target) -> Sequence[Problem]:
        """Return what a look at the cluster says about a service, nothing where looking is not allowed."""
        service = target.service
        try:
            return service.kind.advise(service.typed, service.settings, self._reader)
        except Forbidden:
            return ()

    def _check_rights(self, planned: _Planned, new_namespaces: Sequence[str]) -> None:
        """Ask for the rights of all planned writes; what a namespace that is still to be made permits shows when it is there."""
        there = [plan for plan in planned.plans if plan.service.namespace not in new_namespaces]
        changes = [change for plan in there for change in plan.changes]
        changes += planned.deletions
        needs = [*needs_of(changes, self._policy.fleet), *_status_needs(self.done.targets, there)]
        for plan in planned.plans:
            if plan not in there:
                place = Reference("v1", "Namespace", "", plan.service.namespace)
                needs.append(Need(plan.service, "create", place))
        problems = missing_rights(self._cluster, needs, there)
        for plan in planned.plans:
            plan.problems += problems.pop(plan.service, [])
        if problems:
            raise InputError(
                Complaint(str(service), tuple(found)) for service, found in problems.items()
            )
        self._refuse(planned.plans)

    def _refuse(self, plans: list[ServicePlan]) -> None:
        """Stop at problems, or with `skip_invalid` leave out the services that have one."""
        done = self.done
        subjects = {target.reference: target.service.subject for target in done.targets}
        bad = {plan.service: plan.errors for plan in plans if plan.errors}
        if not bad:
            return
        complaints = [Complaint(subjects[service], problems) for service, problems in bad.items()]
        if not self._skip_invalid or len(bad) == len(plans):
            raise InputError(complaints)
        done.left_out += complaints
        plans[:] = [plan for plan in plans if plan.service not in bad]
        done.targets[:] = [target for target in done.targets if target.reference not in bad]

    def _check_budget(self, planned: _Planned) -> None:
        objects = len(planned.snapshot.objects)
        deletions = planned.deletions
        if not self._policy.max_deletions.allows(len(deletions), objects):
            names = ", ".join(str(change.reference) for change in deletions[:5])
            raise InputError.single(
                "max_deletions",
                "",
                f"{len(deletions)} of {objects} objects would be deleted ({names}, …), "
                f"{self._policy.max_deletions.of(objects)} are allowed; set max_deletions to permit more",
            )

    def _create_namespaces(self, names: Sequence[str]) -> None:
        for name in names:
            reference = Reference("v1", "Namespace", "", name)
            try:
                self._cluster.create(reference.to_manifest(), dry_run=self._policy.dry_run)
            except AlreadyExists as error:
                # Somebody else made it meanwhile, unless an attempt of ours did whose answer was lost.
                if not error.uncertain:
                    continue
            service = next(
                plan.service for plan in self.done.plans if plan.service.namespace == name
            )
            self.done.outcomes.append(Outcome(reference, service, "created", "it is not there"))

    def _execute(
        self, planned: _Planned, new_namespaces: frozenset[str], guard: Callable[[str], object]
    ) -> None:
        execution = Execution(self._cluster, self._policy, new_namespaces, guard)
        try:
            execution.apply(planned.plans)
            execution.delete(planned.deletions)
        finally:
            self.done.outcomes += execution.outcomes
            self.done.lost |= execution.lost


def plan_target(target: Target, snapshot: Snapshot, policy: Policy) -> ServicePlan:
    """Compare a service with the snapshot. Where its controller reconciles it, the custom resource is all that is ours.

    Children of ours go back to the controller, where `adopt` permits that objects change hands.
    """
    kind = target.service.kind
    make_parent = record if kind.key in snapshot.missing else custom_resource
    parent = make_parent(target.document, policy.fleet)
    if target.reconciler == CONTROLLER:
        plan = plan_service(parent, (), snapshot, replace(policy, adopt=False))
        plan.controller = kind.field_manager
        plan.problems += contradictions(target, snapshot, policy)
        if policy.adopt:
            plan_give_back(plan, snapshot)
        return plan
    children = [child.owned_by(parent.reference) for child in target.children]
    plan = plan_service(parent, children, snapshot, policy)
    if not children:
        text = "it renders to nothing at all, which would remove everything it has; use state: absent to remove it"
        plan.problems.append(Problem("", text, rule="empty-render"))
    return plan


def _keep_warnings(before: Sequence[ServicePlan], after: Sequence[ServicePlan]) -> None:
    """Carry over what was found before the lease was taken; it is not looked for a second time."""
    found = {plan.service: plan.problems for plan in before}
    for plan in after:
        plan.problems += found[plan.service]


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


def _written(planned: _Planned) -> list[str]:
    """Return the namespaces of the services that are written for, in the order in which their leases are taken."""
    services = {plan.service for plan in planned.plans if plan.changes} | {
        change.service for change in planned.deletions
    }
    return sorted({service.namespace for service in services})


def _status_needs(targets: Sequence[Target], plans: Sequence[ServicePlan]) -> list[Need]:
    """Return the rights that the statuses of changed services need."""
    direct = {target.reference for target in targets if target.reconciler != CONTROLLER}
    return [
        Need(plan.service, "patch", plan.service, "status")
        if plan.parent.reference == plan.service
        else Need(plan.service, "patch", plan.parent.reference)
        for plan in plans
        if plan.changes and plan.service in direct
    ]
