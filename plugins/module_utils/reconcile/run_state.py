# SPDX-License-Identifier: GPL-3.0-or-later
"""What a reconcile found and did, as far as it came: the story tells it, the result is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..engine.outcome import Outcome
from ..engine.service_plan import ServicePlan
from ..engine.snapshot import Snapshot
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from ..task.result import ServiceResult
from .compiled_service import CompiledService


@dataclass(slots=True)
class RunState:
    """What a reconcile found and did, as far as it came.

    snapshot: what was there before the writes. lost: namespaces in which another run took over. rounds: how often it was compiled.
    results, objects: by service what was done, and the live objects after the writes; `tell` brings them up to date.
    """

    snapshot: Snapshot = field(default_factory=lambda: Snapshot({}))
    targets: list[CompiledService] = field(default_factory=list)
    plans: list[ServicePlan] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    left_out: list[Complaint] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    rounds: int = 1
    results: dict[Reference, ServiceResult] = field(default_factory=dict)
    objects: dict[Reference, Json] = field(default_factory=dict)

    def refuse(self, plans: list[ServicePlan], *, skip_invalid: bool) -> None:
        """Stop at problems, or with `skip_invalid` leave out the services that have one. Raises InputError."""
        subjects = {target.reference: target.service.subject for target in self.targets}
        bad = {plan.service: plan.errors for plan in plans if plan.errors}
        if not bad:
            return
        complaints = [Complaint(subjects[service], problems) for service, problems in bad.items()]
        if not skip_invalid or len(bad) == len(plans):
            raise InputError(complaints)
        self.left_out += complaints
        plans[:] = [plan for plan in plans if plan.service not in bad]
        self.targets[:] = [target for target in self.targets if target.reference not in bad]

    def unplanned(self, plans: Sequence[ServicePlan]) -> frozenset[Reference]:
        """Return what plans want that no plan before them has wanted: its names are still to be looked up."""
        before = {child.reference for plan in self.plans for child in plan.children}
        return frozenset(
            child.reference
            for plan in plans
            for child in plan.children
            if child.reference not in before
        )

    def replace(self, targets: Sequence[CompiledService], plans: Sequence[ServicePlan]) -> None:
        """Put the targets and plans of a further round in the place of those before. What the run has written is no news in them."""
        written = {outcome.reference for outcome in self.outcomes}
        found = {target.reference: target for target in targets}
        planned = {plan.service: plan for plan in plans}
        for number, plan in enumerate(self.plans):
            if (new := planned.get(plan.service)) is not None:
                new.problems += plan.problems
                new.unchanged = [each for each in new.unchanged if each not in written]
                self.plans[number] = new
        self.targets = [found.get(target.reference, target) for target in self.targets]

    def tell(self) -> None:
        """Bring `results` and `objects` up to what the run has written. What was observed of a service stays."""
        observed = {reference: result.observation for reference, result in self.results.items()}
        self.results.update(self._results())
        for reference, observation in observed.items():
            self.results[reference].observation = observation
        before = self.objects or self.snapshot.objects
        self.objects = known_objects(before, self.outcomes)

    def _results(self) -> dict[Reference, ServiceResult]:
        results = {}
        for target, plan in zip(self.targets, self.plans, strict=True):
            problems = list(dict.fromkeys([*target.service.problems, *plan.problems]))
            results[target.reference] = ServiceResult(
                target.reference,
                target.reconciler,
                problems,
                release=target.service.release,
                unchanged=plan.unchanged,
            )
        for outcome in self.outcomes:
            result = results.setdefault(outcome.service, ServiceResult(outcome.service, "direct"))
            result.outcomes.append(outcome)
            if outcome.warning:
                text = f"{outcome.reference}: {outcome.warning}"
                result.problems.append(Problem("", text, "warning", rule="two-owners"))
        return results


def known_objects(
    snapshot: Mapping[Reference, Json], outcomes: Sequence[Outcome]
) -> dict[Reference, Json]:
    """Return the live objects after the writes: those listed, overlaid with what the server answered."""
    objects = dict(snapshot)
    for outcome in outcomes:
        if outcome.action == "deleted":
            objects.pop(outcome.reference, None)
        elif outcome.live is not None:
            objects[outcome.reference] = outcome.live
    return objects
