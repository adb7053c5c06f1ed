# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked at before the first write, and only then: a run that changes nothing asks none of this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from .deletion_wait import is_dying, wait_for_all
from .plan import Action, Plan
from .service_plan import ServicePlan


def missing_namespaces(cluster: Cluster, plans: Sequence[ServicePlan], home: str) -> list[str]:
    """Return the namespaces that planned objects need and that do not exist, sorted; one that is being deleted is a problem.

    home: where the Lease of services of the whole cluster is.
    Where reading namespaces is not allowed they are taken to exist; a create then fails by itself.
    """
    names = {
        place
        for plan in plans
        for change in plan.changes
        if change.action is Action.CREATE
        for place in (change.reference.namespace, plan.service.namespace or home)
    }
    found = read_namespaces(cluster, names)
    missing = [name for name, live in found.items() if live is None]
    ending = {name for name, live in found.items() if live and is_dying(live)}
    for plan in plans:
        if plan.service.namespace in ending:
            text = f'"{plan.service.namespace}" is being deleted; wait until it is gone, or use another'
            plan.problems.append(Problem("metadata.namespace", text, rule="ending-namespace"))
    return missing


def read_namespaces(cluster: Cluster, names: Iterable[str]) -> dict[str, Json | None]:
    """Return namespaces by their names, None for those that do not exist; what may not be read is left out. Raises ClusterError."""
    wanted = sorted({*names} - {""})
    places = [Reference("v1", "Namespace", "", name) for name in wanted]
    calls = [partial(cluster.get, place, metadata_only=True) for place in places]
    answers = zip(wanted, cluster.parallel(calls, Forbidden), strict=True)
    return {name: answer for name, answer in answers if not isinstance(answer, Forbidden)}


def wait_for_dying(cluster: Cluster, plans: Sequence[Plan]) -> None:
    """Wait until objects that are being deleted are gone; what is still there then is a problem of its service or set."""
    dying = [each for plan in plans for each in plan.dying.items()]
    stuck = wait_for_all(cluster, dying)
    for plan in plans:
        plan.problems += [
            Problem("", str(stuck[reference]), rule="dying")
            for reference in plan.dying
            if reference in stuck
        ]
