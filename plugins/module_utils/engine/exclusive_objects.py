# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that a child takes the place of: they cannot exist beside it, so they are removed before it is applied, not after everything."""

from __future__ import annotations

from collections.abc import Iterable

from ..cluster.connection import Cluster
from ..cluster.errors import KindMissing
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from .deletion_wait import is_dying
from .ownership import Owner
from .plan import Action, Change
from .service_plan import ServicePlan


def look_up_exclusive(cluster: Cluster, plans: Iterable[ServicePlan]) -> None:
    """Plan that what a changed child takes the place of is removed, where it is the service's: made by us or by its controller.

    What is somebody else's is a problem.
    """
    for plan in plans:
        for change in list(plan.changes):
            for reference in change.desired.replaces if change.desired else ():
                if live := _read(cluster, reference):
                    _plan_removal(plan, change, live)


def _read(cluster: Cluster, reference: Reference) -> Json | None:
    try:
        return cluster.get(reference)
    except KindMissing:
        return None


def _plan_removal(plan: ServicePlan, change: Change, live: Json) -> None:
    reference = Reference.of(live)
    owned = plan.whose(live)
    if owned.owner not in (Owner.THIS, Owner.CONTROLLER):
        text = f"{reference} exists and {owned.text}; {change.reference} cannot exist at the same time: remove it"
        plan.problems.append(Problem("", text, rule="replaced"))
    elif is_dying(live):
        plan.dying[reference] = live
    else:
        reason = f"{change.reference} takes its place"
        plan.changes.append(
            Change(Action.REPLACE, reference, plan.service, change.stage, None, live, reason)
        )
