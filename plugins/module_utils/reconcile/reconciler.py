# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a reconcile: look, plan, object, take the lease, look again, write; again while what was written changes what is wanted.

What is answered later, while services are waited for, may change it once more (`another`, `go_on`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..cluster.errors import AlreadyExists
from ..cluster.lease import leases
from ..engine import preflight_checks
from ..engine.apply import Execution
from ..engine.exclusive_objects import look_up_exclusive
from ..engine.outcome import Outcome
from ..engine.ownership import ownership
from ..engine.service_plan import ServicePlan, look_up_strangers
from ..engine.write import Writer
from ..fleet.cluster_reader import ClusterReader, reader_of
from ..fleet.compile import compile_fleet
from ..fleet.load import introduce
from ..fleet.service import Service
from ..kinds.peers import Peers
from ..kube.intent import Intent
from ..kube.manifest import Json
from ..kube.problem import InputError
from ..kube.reference import Reference
from .certificates import KeyMaker, read_certificates
from .compiled_service import CompiledService, compiled_service, made_by
from .controller_mode import CONTROLLER, unlisted
from .planner import Planned, Planner
from .requeue import ROUNDS, PutOff, merged, put_off, reader_after, recompiled, skipped
from .run import Run
from .run_state import RunState


class Reconciler:
    """One run over the services of a fleet.

    done: what the run did so far, also where `run` raises. reader: what the services see of the cluster.
    """

    def __init__(self, run: Run) -> None:
        self.done = RunState()
        self.reader = ClusterReader(run.cluster)
        self._run = run
        self._cluster = run.cluster
        self._policy = run.policy
        self._controllers = run.releases.controllers
        self._planner = Planner(
            run.cluster,
            run.policy,
            self._controllers,
            wanted=run.reconciler,
            keeps=run.keeps,
            listed=run.releases.listed,
        )

    def run(self, services: Sequence[Service]) -> None:
        """Make the cluster match the services.

        Raises InputError for what is found before the first write, ClusterError where the run cannot continue; then `done` tells what
        was written before.
        """
        done = self.done
        begun = self._planner.begin(services)
        typed = [service.typed for service in services]
        leaves = self._leaves if self._run.keeps is not None else None
        introduce(services, Peers(typed, leaves, unserved=begun.missing))
        self.reader = reader_of(self._cluster, services, begun.objects)
        read_certificates(self._cluster, services, self.reader)
        keys = KeyMaker(self.reader, real=not self._policy.dry_run)
        targets, done.left_out = compile_fleet(
            services,
            self.reader,
            self._target,
            skip_invalid=self._run.skip_invalid,
            compiler=lambda service, dummy: keys.compile(service),
        )
        planned = self._planner.first(services, targets)
        done.snapshot, done.targets, done.plans = planned.snapshot, targets, planned.plans
        done.warnings += unlisted(planned.snapshot, targets)
        self._advise(planned, targets)
        if planned.empty:
            return
        # A settled fleet has no use for it, nor for what it loads.
        from .preflight import Preflight

        preflight = Preflight(self._run, self._controllers, done)
        new_namespaces = preflight.examine(planned, targets, self.reader)
        if self._policy.dry_run:
            self._create_namespaces(new_namespaces)
            self._execute(planned, frozenset(new_namespaces), lambda dummy: None)
            return
        preflight_checks.wait_for_dying(self._cluster, planned.plans)
        done.refuse(planned.plans, skip_invalid=self._run.skip_invalid)
        self._create_namespaces(new_namespaces)
        with leases(
            self._cluster, self._policy.fleet, _written(planned), self._policy.home
        ) as check:
            again = self._planner.again(done.targets)
            # What was free before the lease is created, and the answer proves it; what was taken is looked at again.
            look_up_strangers(self._cluster, again.plans, only=preflight.taken)
            look_up_exclusive(self._cluster, again.plans)
            preflight_checks.wait_for_dying(self._cluster, again.plans)
            done.refuse(again.plans, skip_invalid=self._run.skip_invalid)
            _keep_warnings(planned.plans, again.plans)
            done.snapshot, done.plans = again.snapshot, again.plans
            late = put_off(again, keys.unfinished, done.targets)
            self._execute(again, frozenset(), check)
            try:
                self._repeat(late, check)
            finally:
                done.outcomes = merged(done.outcomes)

    def _advise(self, planned: Planned, targets: Sequence[CompiledService]) -> None:
        """Let checks look at the cluster for each service that changes; in check mode for all."""
        asked = [
            (target, plan)
            for target, plan in zip(targets, planned.plans, strict=True)
            if (plan.changes or self._policy.dry_run) and target.reconciler != CONTROLLER
        ]
        made = made_by(targets) if asked else frozenset()
        for target, plan in asked:
            plan.problems += target.advice(self.reader, made)

    def _repeat(self, late: PutOff, guard: Callable[[str], object]) -> None:
        """Compile, plan and apply again what the writes before have changed, or waited for."""
        done, since = self.done, 0
        for dummy in range(ROUNDS - 1):
            done.outcomes += skipped(late, done.outcomes)
            self.reader = reader_after(self.reader, done)
            keys = KeyMaker(self.reader, real=True)
            targets = recompiled(done, keys, late, since, self._policy.fleet)
            if not targets:
                return
            since = len(done.outcomes)
            planned = self._planned_again(targets)
            late = put_off(planned, keys.unfinished, targets)
            self._execute(planned, frozenset(), guard)

    def _planned_again(self, targets: Sequence[CompiledService]) -> Planned:
        """Begin a further round: look and plan for services that want something else than before. Raises InputError."""
        done = self.done
        done.rounds += 1
        planned = self._planner.again(targets)
        planned.removed = [each for each in planned.removed if each.service in planned.services]
        look_up_strangers(self._cluster, planned.plans, only=done.unplanned(planned.plans))
        preflight_checks.wait_for_dying(self._cluster, planned.plans)
        done.replace(targets, planned.plans)
        from .preflight import refused_objects

        for target, plan in zip(targets, planned.plans, strict=True):
            plan.problems += refused_objects(target, plan)
        done.refuse(done.plans, skip_invalid=self._run.skip_invalid)
        return planned

    def another(self, target: CompiledService) -> CompiledService | None:
        """Return a service compiled anew, None where it wants what it wanted, or where this run may not compile it again."""
        if self.done.rounds >= ROUNDS or target.reference.namespace in self.done.lost:
            return None
        try:
            intent = target.service.compile(self.reader)
        except InputError:
            return None
        made = compiled_service(target.service, intent, self._policy.fleet, target.reconciler)
        return made if made.children != target.children else None

    def go_on(self, targets: Sequence[CompiledService]) -> None:
        """Write what services want that were compiled anew during a wait. Raises InputError, ClusterError."""
        namespaces = sorted({target.reference.namespace for target in targets})
        with leases(self._cluster, self._policy.fleet, namespaces, self._policy.home) as check:
            planned = self._planned_again(targets)
            try:
                self._execute(planned, frozenset(), check)
            finally:
                self.done.outcomes = merged(self.done.outcomes)

    def _leaves(self, live: Json) -> bool:
        """Tell whether a live custom resource is one of the fleet that the task does not name."""
        reference = Reference.of(live)
        if self._run.keeps is None or reference in self._run.keeps:
            return False
        return ownership(live, reference, self._policy.fleet).ours

    def _target(self, service: Service, intent: Intent) -> CompiledService:
        return compiled_service(service, intent, self._policy.fleet, self._run.reconciler)

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
                change.service
                for plan in self.done.plans
                for change in plan.changes
                if change.reference.namespace == name
            )
            self.done.outcomes.append(Outcome(reference, service, "created", "it does not exist"))

    def _execute(
        self, planned: Planned, new_namespaces: frozenset[str], guard: Callable[[str], object]
    ) -> None:
        writer = Writer(self._cluster, self._policy, new_namespaces, guard)
        execution = Execution(self._cluster, writer)
        try:
            execution.apply(planned.plans)
            execution.delete(planned.deletions)
        finally:
            self.done.outcomes += execution.outcomes
            self.done.lost |= execution.lost


def _keep_warnings(before: Sequence[ServicePlan], after: Sequence[ServicePlan]) -> None:
    """Carry over what was found before the lease was taken; it is not looked for a second time."""
    found = {plan.service: plan.problems for plan in before}
    for plan in after:
        plan.problems += found[plan.service]


def _written(planned: Planned) -> list[str]:
    """Return the namespaces of the services that are written for, in the order in which their leases are taken."""
    services = {plan.service for plan in planned.plans if plan.changes} | {
        change.service for change in planned.deletions
    }
    return sorted({service.namespace for service in services})
