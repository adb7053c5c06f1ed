# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked at before the first write of a set, and only where something is to be written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...cluster.connection import Cluster
from ...cluster.errors import KindMissing
from ...kube.apply_order import SetStage
from ...kube.crds import conversion_service, is_crd
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reference import Reference
from ...kube.text import counted, few
from ..deletion_wait import wait_for_all
from ..plan import Action
from ..rights import VERBS, Need, missing_rights
from .custom import objects_of
from .members import ApplySet
from .namespaces import check_namespaces
from .plan import SetPlan, Step

#: How many objects a message names.
_NAMED = 5


def examine(cluster: Cluster, applyset: ApplySet, plan: SetPlan) -> list[Problem]:
    """Return everything that forbids to carry out a plan. Raises ClusterError where it cannot be looked at."""
    created = frozenset(
        member.reference.name
        for member in plan.members
        if member.stage is SetStage.NAMESPACE and member.reference.kind == "Namespace"
    )
    wanted = {step.reference.namespace for step in plan.steps} | {applyset.parent.namespace}
    problems = [
        *plan.errors,
        *check_namespaces(cluster, wanted, created),
        *_lost_objects(cluster, plan),
    ]
    needs = list(_needs(cluster, applyset, [*plan.steps, *plan.removals]))
    problems += missing_rights(cluster, needs).get(applyset.parent, [])
    return problems


def wait_for_dying(cluster: Cluster, plan: SetPlan) -> list[Problem]:
    """Wait until objects that are being deleted are gone; return a problem for each that stays."""
    stuck = wait_for_all(cluster, list(plan.dying.items()))
    return [Problem("", str(error), rule="dying") for error in stuck.values()]


def convert_late(cluster: Cluster, plan: SetPlan) -> None:
    """Put CRDs whose objects would be without a converter after the workload that converts them.

    With objects there, a CRD that names a converter which does not run yet makes them unreadable at once.
    """
    services = {
        (member.reference.namespace, member.reference.name)
        for member in plan.members
        if member.stage is SetStage.SERVICE
    }
    for place, step in enumerate(plan.steps):
        if _becomes_converted(step, services) and step.live and objects_of(cluster, step.live):
            plan.steps[place] = replace(step, stage=SetStage.CONVERSION)


def _becomes_converted(step: Step, services: set[tuple[str, str]]) -> bool:
    if step.member is None or step.live is None or not is_crd(step.live):
        return False
    wanted = conversion_service(step.member.desired.manifest(""))
    return wanted in services and wanted != conversion_service(step.live)


def _lost_objects(cluster: Cluster, plan: SetPlan) -> Iterator[Problem]:
    """Yield a problem for each CRD that would be deleted while it has objects."""
    ours = {step.reference for step in plan.removals}
    for step in plan.removals:
        if step.live is not None and is_crd(step.live):
            yield from still_used(cluster, step.live, ours)


def still_used(cluster: Cluster, crd: Json, leaving: set[Reference]) -> Iterator[Problem]:
    """Yield a problem where a CRD has objects other than those that leave before it."""
    objects = [Reference.of(item) for item in objects_of(cluster, crd)]
    left = [str(ref) for ref in objects if not _is_among(ref, leaving)]
    if left:
        text = (
            f"CustomResourceDefinition {crd['metadata']['name']} still has {counted(len(left), 'object')}, which would be deleted with it: "
            f"{few(left, _NAMED)}; delete them first, or set keep_crds: true"
        )
        yield Problem("", text, rule="crd-in-use")


def _is_among(reference: Reference, others: set[Reference]) -> bool:
    return any((reference.group, *reference[1:]) == (other.group, *other[1:]) for other in others)


def _needs(cluster: Cluster, applyset: ApplySet, steps: list[Step]) -> Iterator[Need]:
    for verb in VERBS[Action.CREATE]:
        yield Need(applyset.parent, verb, applyset.parent)
    for step in steps:
        try:
            cluster.kind(step.reference.api_version, step.reference.kind)
        except KindMissing:
            # It comes with a CRD of this very set.
            continue
        for verb in VERBS[step.action]:
            yield Need(applyset.parent, verb, step.reference)
