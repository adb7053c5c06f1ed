# SPDX-License-Identifier: GPL-3.0-or-later
"""Who reconciles a service: this run, or the controller in the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.desired import owner_value
from ..engine.policy import Policy
from ..engine.service_plan import ServicePlan, is_record
from ..engine.snapshot import Snapshot
from ..fleet.controllers import Controllers
from ..kinds.kind import ServiceKind
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.text import counted
from .compiled_service import CompiledService

DIRECT = "direct"
CONTROLLER = "controller"
AUTO = "auto"


def children_of_ours(snapshot: Snapshot, service: Reference) -> list[Reference]:
    """Return the service's objects of ours, its custom resource and its record apart."""
    return [
        reference
        for reference in snapshot.owned_by(owner_value(service))
        if reference != service and not is_record(reference, service)
    ]


def decide(
    wanted: str,
    kind: ServiceKind[Any, Any],
    reference: Reference,
    snapshot: Snapshot,
    live: Json | None,
    controllers: Controllers,
) -> str:
    """Return who reconciles a service. wanted: direct, controller, or auto: whoever owns it already, else a controller that runs."""
    if wanted != AUTO:
        return wanted
    if children_of_ours(snapshot, reference):
        return DIRECT
    if live is not None and set(live["metadata"].get("finalizers") or []) & set(kind.finalizers):
        return CONTROLLER
    return CONTROLLER if controllers.seen(kind) else DIRECT


def contradictions(target: CompiledService, snapshot: Snapshot, policy: Policy) -> list[Problem]:
    """Return why the controller cannot be the one that reconciles, seen from what was listed."""
    kind = target.service.kind
    if kind.key in snapshot.missing:
        text = f"controller, but {snapshot.missing[kind.key]}"
        return [Problem("reconciler", text, rule="missing-kind")]
    ours = children_of_ours(snapshot, target.reference)
    if ours and not policy.adopt:
        return [
            Problem(
                "reconciler",
                f"controller, but this collection reconciles {counted(len(ours), 'object')} of this service; "
                "use reconciler: direct, or set adopt: true to give them to the controller",
                rule="reconciled-directly",
            )
        ]
    return []


def objections(
    target: CompiledService, plan: ServicePlan, controllers: Controllers, policy: Policy
) -> list[Problem]:
    """Return why the chosen reconciler cannot be the one, seen from a look for the kind's controller; empty plans need none.

    A prediction of an adoption only warns of the controller: it is asked for before the controller is stopped.
    """
    kind = target.service.kind
    if not plan.changes:
        return []
    if target.reconciler == DIRECT and (controller := controllers.seen(kind)):
        return [
            Problem(
                "reconciler",
                f"direct, but the {kind.kind} controller runs ({controller}) and would write the same objects; "
                "use reconciler: controller, or scale that Deployment to 0 first",
                "warning" if policy.adopt and policy.dry_run else "error",
                rule="controller-runs",
            )
        ]
    if (
        target.reconciler == CONTROLLER
        and controllers.seen(kind) is None
        and kind.kind not in controllers.not_looked
    ):
        return [
            Problem(
                "reconciler",
                f"controller, but no controller of {kind.kind} is seen in the cluster; nothing will happen until one runs",
                "warning",
                rule="no-controller",
            )
        ]
    return []


def unlisted(snapshot: Snapshot, targets: Sequence[CompiledService]) -> list[Problem]:
    """Warn of cluster-scoped kinds that may not be listed. Raises Forbidden where a service wants an object of such a kind."""
    wanted = {
        (child.reference.api_version, child.reference.kind)
        for target in targets
        if target.reconciler != CONTROLLER
        for child in target.children
    }
    for kind, refusal in snapshot.unseen.items():
        if kind in wanted:
            raise refusal
    return could_not_list(snapshot)


def could_not_list(snapshot: Snapshot) -> list[Problem]:
    """Warn of cluster-scoped kinds that may not be listed: what is left of them would not be found."""
    return [
        Problem(
            "",
            f"could not look for {kind}s that are no longer needed: listing them is not allowed; "
            f"any that an earlier run created for these services stay",
            "warning",
            rule="could-not-look",
        )
        for dummy, kind in sorted(snapshot.unseen)
    ]


def unseen(controllers: Controllers, targets: Sequence[CompiledService]) -> list[Problem]:
    """Warn where it could not be seen whether a controller runs."""
    return [
        Problem(
            "reconciler",
            f"could not look whether a controller of {name} runs: listing Deployments in all namespaces is not allowed",
            "warning",
            rule="could-not-look",
        )
        for name in sorted(controllers.not_looked)
        if any(target.service.kind.kind == name for target in targets)
    ]
