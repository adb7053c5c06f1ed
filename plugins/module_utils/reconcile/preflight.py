# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that forbids a write, looked for between the plan and the first of them; a run that changes nothing asks none of this."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import preflight_checks
from ..engine.adoption.preflight import objections as objections_to_adopt
from ..engine.exclusive_objects import look_up_exclusive
from ..engine.rights import Need, missing_rights, needs_of
from ..engine.service_plan import ServicePlan, look_up_strangers
from ..fleet.controllers import Controllers
from ..kube.intent import Stage
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..task.arguments import IGNORE
from .answer_options import way_in_problems
from .compiled_service import CompiledService
from .controller_mode import CONTROLLER, objections, unseen
from .crd_check import CrdCheck
from .planner import Planned
from .release_change import left_behind, preset_problems, release_problems
from .run import Run
from .run_state import RunState
from .status import request_for


def refused_objects(target: CompiledService, plan: ServicePlan) -> list[Problem]:
    """Return what the API server would refuse of what a plan writes, told where the author of the service says it."""
    written = [change.reference for change in plan.changes if change.desired is not None]
    return target.api_problems(written) if written else []


class Preflight:
    """Objects to plans. done: gets the warnings, and the services that are left out. taken: names that others had before us."""

    def __init__(
        self,
        run: Run,
        controllers: Controllers,
        done: RunState,
    ) -> None:
        self.taken: frozenset[Reference] = frozenset()
        self._run = run
        self._cluster = run.cluster
        self._policy = run.policy
        self._controllers = controllers
        self._done = done

    def examine(
        self, planned: Planned, targets: Sequence[CompiledService], reader: Reader
    ) -> list[str]:
        """Look at everything that forbids a write. reader: what the services see. Returns the namespaces to create."""
        self.taken = look_up_strangers(self._cluster, planned.plans)
        look_up_exclusive(self._cluster, planned.plans)
        crds = CrdCheck(self._cluster)
        for target, plan in zip(targets, planned.plans, strict=True):
            plan.problems += refused_objects(target, plan)
            plan.problems += objections(target, plan, self._controllers, self._policy)
            if plan.changes and target.reconciler != CONTROLLER:
                plan.problems += left_behind(target, plan, planned.deletions)
                found = [*release_problems(self._cluster, target, plan)]
                plan.problems += found or preset_problems(
                    target, plan, allow_restart=self._policy.allow_restart
                )
            plan.problems += crds.problems(target, plan)
            if self._run.answer is not None:
                request = request_for(target, planned.snapshot.objects, reader, "")
                plan.problems += way_in_problems(request, self._run.answer)
        self._done.warnings += unseen(self._controllers, targets)
        new = preflight_checks.missing_namespaces(self._cluster, planned.plans, self._policy.home)
        if not self._policy.create_namespaces:
            for plan in planned.plans:
                for place in sorted(self._places(plan) & {*new}):
                    text = f'"{place}" does not exist; create it, or set create_namespaces: true'
                    path = "metadata.namespace" if place == plan.service.namespace else ""
                    plan.problems.append(Problem(path, text, rule="missing-namespace"))
        if self._policy.adopt:
            for plan in planned.plans:
                if plan.errors:
                    # A trial would only be refused for them once more.
                    continue
                plan.problems += objections_to_adopt(
                    self._cluster, plan, allow_restart=self._policy.allow_restart
                )
        self._check_fit(planned.plans)
        self._done.refuse(planned.plans, skip_invalid=self._run.skip_invalid)
        self._check_budget(planned)
        self._check_rights(planned, new)
        return new

    def _check_fit(self, plans: Sequence[ServicePlan]) -> None:
        """Look whether pods will find room, where workloads change at all."""
        changes = [change for plan in plans for change in plan.changes]
        if self._run.fit == IGNORE or not any(change.stage is Stage.WORKLOAD for change in changes):
            return
        # Loading it costs a tenth of a settled run, which has no use for it.
        from .capacity_preflight import check_fit

        self._done.warnings += check_fit(self._cluster, plans, self._run.fit)

    def _check_rights(self, planned: Planned, new_namespaces: Sequence[str]) -> None:
        """Ask for the rights of all planned writes; what a namespace that is still to be made permits shows when it is there."""
        there = [plan for plan in planned.plans if not self._places(plan) & {*new_namespaces}]
        changes = [change for plan in there for change in plan.changes]
        changes += planned.deletions
        needs = [
            *needs_of(changes, self._policy.fleet, self._policy.home),
            *_status_needs(self._done.targets, there),
        ]
        for plan in planned.plans:
            for name in sorted(self._places(plan) & {*new_namespaces}):
                place = Reference("v1", "Namespace", "", name)
                needs.append(Need(plan.service, "create", place))
        problems = missing_rights(self._cluster, needs, there)
        for plan in planned.plans:
            plan.problems += problems.pop(plan.service, [])
        if problems:
            raise InputError(
                Complaint(str(service), tuple(found)) for service, found in problems.items()
            )
        self._done.refuse(planned.plans, skip_invalid=self._run.skip_invalid)

    def _places(self, plan: ServicePlan) -> set[str]:
        """Return the namespaces that a plan needs."""
        home = plan.service.namespace or self._policy.home
        return {home, *(change.reference.namespace for change in plan.changes)}

    def _check_budget(self, planned: Planned) -> None:
        objects = len(planned.snapshot.objects)
        # Who stops a service has asked for that.
        stopped = {plan.service for plan in planned.plans if plan.nothing}
        deletions = [change for change in planned.deletions if change.service not in stopped]
        budget = self._policy.max_deletions
        count = len(deletions)
        if budget.limit is None:
            # Whoever edits a service has looked at it: what it then no longer wants is one step, however many objects that are.
            edited = {
                plan.service
                for plan in planned.plans
                if any(
                    change.reference == plan.service and change.is_edit for change in plan.changes
                )
            }
            parts = [change.service for change in deletions if change.service in edited]
            count -= len(parts) - len(set(parts))
        if not budget.allows(count, objects):
            names = ", ".join(str(change.reference) for change in deletions[:5])
            raise InputError.single(
                "max_deletions",
                "",
                f"{len(deletions)} of {objects} objects would be deleted ({names}, …), "
                f"{budget.of(objects)} are allowed; set max_deletions to permit more",
            )


def _status_needs(targets: Sequence[CompiledService], plans: Sequence[ServicePlan]) -> list[Need]:
    """Return the rights that the statuses of changed services need."""
    direct = {target.reference for target in targets if target.reconciler != CONTROLLER}
    return [
        Need(plan.service, "patch", plan.service, "status")
        if plan.parent.reference == plan.service
        else Need(plan.service, "patch", plan.parent.reference)
        for plan in plans
        if plan.changes and plan.service in direct
    ]
