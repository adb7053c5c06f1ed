# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked at before the first write of a set, and only where something is to be written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...cluster.connection import Cluster
from ...cluster.errors import KindMissing
from ...kube.apply_order import SetStage
from ...kube.applyset import MemberKey
from ...kube.crds import conversion_service, is_crd
from ...kube.problem import Problem
from ...kube.reference import Reference
from ...kube.text import counted, few
from ..plan import Action, Change
from ..rights import VERBS, Need, missing_rights, needs_of
from .custom import objects_of
from .members import ApplySet
from .namespaces import check_namespaces
from .plan import SetPlan

#: How many objects a message names.
_NAMED = 5


def examine(cluster: Cluster, plan: SetPlan) -> list[Problem]:
    """Return everything that forbids to carry out a plan. Raises ClusterError where it cannot be looked at."""
    parent = plan.applyset.parent
    created = frozenset(
        member.reference.name for member in plan.members if member.stage is SetStage.NAMESPACE
    )
    wanted = {change.reference.namespace for change in plan.changes} | {parent.namespace}
    needs = [Need(parent, verb, parent) for verb in VERBS[Action.CREATE]]
    return [
        *plan.errors,
        *check_namespaces(cluster, wanted, created),
        *still_used(cluster, plan.removals),
        *lacking_rights(cluster, plan.applyset, [*plan.changes, *plan.removals], needs),
    ]


def lacking_rights(
    cluster: Cluster, applyset: ApplySet, changes: Sequence[Change], more: Iterable[Need] = ()
) -> list[Problem]:
    """Return a problem for each right that is missing for changes; not for kinds that come with a CRD of this very set."""
    known = [change for change in changes if _is_known(cluster, change.reference)]
    needs = [*more, *needs_of(known, applyset.fleet)]
    return missing_rights(cluster, needs).get(applyset.parent, [])


def convert_late(cluster: Cluster, plan: SetPlan) -> None:
    """Put CRDs whose objects would be without a converter after the workload that converts them.

    With objects there, a CRD that names a converter which does not run yet makes them unreadable at once.
    """
    services = {
        (member.reference.namespace, member.reference.name)
        for member in plan.members
        if member.stage is SetStage.SERVICE
    }
    for place, change in enumerate(plan.changes):
        if (
            _becomes_converted(change, services)
            and change.live
            and objects_of(cluster, change.live)
        ):
            plan.changes[place] = replace(change, stage=SetStage.CONVERSION)


def _becomes_converted(change: Change, services: set[tuple[str, str]]) -> bool:
    if change.desired is None or change.live is None or not is_crd(change.live):
        return False
    wanted = conversion_service(change.desired.manifest())
    return wanted in services and wanted != conversion_service(change.live)


def still_used(cluster: Cluster, removals: Sequence[Change]) -> Iterator[Problem]:
    """Yield a problem for each CRD that would be deleted while it has objects other than those that leave before it."""
    leaving = {MemberKey.of(change.reference) for change in removals}
    for crd in (change.live for change in removals if change.live and is_crd(change.live)):
        objects = [Reference.of(item) for item in objects_of(cluster, crd)]
        left = [str(reference) for reference in objects if MemberKey.of(reference) not in leaving]
        if left:
            text = (
                f"CustomResourceDefinition {crd['metadata']['name']} still has {counted(len(left), 'object')}, which would be deleted with it: "
                f"{few(left, _NAMED)}; delete them first (state absent does with delete_objects: true), or set keep_crds: true"
            )
            yield Problem("", text, rule="crd-in-use")


def _is_known(cluster: Cluster, reference: Reference) -> bool:
    try:
        cluster.kind(reference.api_version, reference.kind)
    except KindMissing:
        return False
    return True
