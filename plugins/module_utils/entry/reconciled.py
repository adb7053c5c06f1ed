# SPDX-License-Identifier: GPL-3.0-or-later
"""What a reconcile found and did, as far as it came: the story tells it, the result is made of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..engine.outcome import Outcome
from ..engine.plan import ServicePlan
from ..engine.snapshot import Snapshot
from ..kube.problem import Complaint, InputError, Problem
from .target import Target


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
