# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a ModelService, from its live children and their pods.

Phase, counters and the condition Ready are the operator's, but that each role has to be complete, that a rollout is not
ready before it is through, and that what cannot get ready by waiting is `Failed`. The other conditions are ours.
Source: model-operator internal/modelservice/status.go@v0.9.0-alpha.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...kube import gvk
from ...kube.condition import Acceptance, Condition, acceptance
from ...kube.fault import WorkloadFault
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Lookup
from ...kube.reference import Reference
from ...kube.rollout import Rollout, read_rollout
from ..kind import Observation
from . import names
from .spec import ModelService

Live = Lookup
#: The condition that tells what the gateways say of the route.
ROUTE_ACCEPTED = "RouteAccepted"
CONDITION_TYPES = (
    "Ready",
    "DecodeReady",
    "PrefillReady",
    "PickerReady",
    "PoolAccepted",
    ROUTE_ACCEPTED,
)


@dataclass(frozen=True, slots=True)
class _Verdict:
    phase: str
    status: str
    reason: str
    message: str


def observe(service: ModelService, live: Live, pods: Sequence[Json]) -> Observation:
    """Return the status that the live children give.

    live: the children and, where it exists, the custom resource itself. pods: those of the Deployments, others do not harm.
    """
    decode = _deployment(service, live, pods, names.decode(service.name))
    prefill = None
    if service.prefill is not None:
        prefill = _deployment(service, live, pods, names.prefill(service.name))
    picker = _deployment(service, live, pods, names.picker(service.name))
    verdict = _serving(decode, prefill)
    pool, route = _pool(service, live), _route(service, live)
    conditions = [
        Condition(
            "Ready",
            "True" if verdict.status == "True" else "False",
            verdict.reason,
            verdict.message,
        ),
        *_role_conditions(decode, prefill),
        picker_ready(picker),
        Condition("PoolAccepted", pool.status, pool.reason, pool.message),
    ]
    if route is not None:
        conditions.append(Condition(ROUTE_ACCEPTED, route.status, route.reason, route.message))
    return Observation(
        status=_status(service, live, verdict.phase, decode, prefill, conditions),
        ready=verdict.phase == "Ready"
        and not _pods_to_end(decode, prefill)
        and _picker_serves(service, picker)
        and _reachable(pool, route),
        faults=tuple(_faults(service, picker, decode, prefill, pool, route)),
        awaited={ROUTE_ACCEPTED: route.awaited} if route is not None else {},
        problems=tuple(_problems(service, decode, prefill)),
    )


def reconcile_error(observation: Observation, message: str) -> Observation:
    """Return the observation of a service of which a child could not be applied: counters and phase stay true."""
    error = Condition("Ready", "False", "ReconcileError", message).to_dict()
    kept = observation.status.get("conditions") or ()
    generation = observation.status.get("observedGeneration")
    if generation is not None:
        error["observedGeneration"] = generation
    conditions = [error if condition["type"] == "Ready" else condition for condition in kept]
    phase = observation.status["phase"]
    status = {
        **observation.status,
        "conditions": conditions,
        "phase": "Running" if phase == "Ready" else phase,
    }
    faults = (WorkloadFault("ReconcileError", message), *observation.faults)
    return replace(observation, status=status, ready=False, faults=faults)


def _deployment(service: ModelService, live: Live, pods: Sequence[Json], name: str) -> Rollout:
    reference = Reference(gvk.APPS, "Deployment", service.namespace, name)
    return read_rollout(live.get(reference), pods)


def _serving(decode: Rollout, prefill: Rollout | None) -> _Verdict:
    """Return phase and Ready of the serving roles; the first that holds, in the operator's order."""
    parts = [("Decode", decode)] if prefill is None else [("Decode", decode), ("Prefill", prefill)]
    for title, part in parts:
        if not part.found:
            message = f"{title} Deployment has not been created yet"
            return _Verdict("Pending", "False", "DeploymentNotFound", message)
    for dummy, part in parts:
        if part.fault is not None:
            return _Verdict("Failed", "False", part.fault.reason, part.fault.message)
    roles = [part for dummy, part in parts]
    desired, ready = sum(part.desired for part in roles), sum(part.ready for part in roles)
    if ready == 0 and desired > 0:
        return _Verdict(
            "Running", "False", "PodsStarting", "Waiting for serving pods to become ready"
        )
    # Pods of one role that are too many do not stand in for pods of the other.
    useful = ready if ready < desired else sum(min(part.ready, part.desired) for part in roles)
    if useful < desired:
        return _Verdict("Running", "False", "PartiallyReady", f"{useful}/{desired} replicas ready")
    if not all(part.rolled_out for part in roles):
        updated = sum(min(part.updated, part.desired) if part.observed else 0 for part in roles)
        message = f"{updated}/{desired} replicas updated, and old ones must end first"
        return _Verdict("Running", "False", "RolloutInProgress", message)
    return _Verdict("Ready", "True", "AllReplicasReady", f"All {ready} replicas are ready")


def _role_conditions(decode: Rollout, prefill: Rollout | None) -> Iterator[Condition]:
    for kind, part in (("DecodeReady", decode), ("PrefillReady", prefill)):
        if part is not None:
            yield _role_condition(kind, part)


def _role_condition(kind: str, part: Rollout) -> Condition:
    if not part.found:
        return Condition(kind, "False", "DeploymentNotFound", "The Deployment does not exist")
    if part.fault is not None:
        return Condition(kind, "False", part.fault.reason, part.fault.message)
    message = f"{part.ready}/{part.desired} replicas ready"
    if not part.complete:
        reason = "PodsStarting" if part.ready < part.desired else "RolloutInProgress"
        return Condition(kind, "False", reason, message)
    if part.desired == 0:
        return Condition(
            kind, "False", "ScaledToZero", "No replicas are wanted; nothing serves requests"
        )
    return Condition(kind, "True", "AllReplicasReady", message)


def picker_ready(picker: Rollout) -> Condition:
    """Return whether a picker answers. With several only the elected leader reports ready, so one is enough."""
    kind = "PickerReady"
    if not picker.found:
        return Condition(
            kind, "False", "DeploymentNotFound", "The picker's Deployment does not exist"
        )
    if picker.desired == 0:
        return Condition(
            kind,
            "False",
            "ScaledToZero",
            "No picker replicas are wanted; nothing answers the gateway",
        )
    message = f"{picker.ready}/{picker.desired} picker replicas ready"
    if picker.ready >= 1 and picker.rolled_out:
        # No numbers: a second replica that comes later changes nothing for the service.
        return Condition(kind, "True", "PickerAnswers", "A picker replica is ready")
    if picker.fault is not None:
        return Condition(kind, "False", picker.fault.reason, picker.fault.message)
    return Condition(kind, "False", "PodsStarting", message)


def _pods_to_end(decode: Rollout, prefill: Rollout | None) -> bool:
    """Return whether a role has more ready pods than it wants: a rollout or a scale-down is not over."""
    return any(part.ready > part.desired for part in (decode, prefill) if part is not None)


def _picker_serves(service: ModelService, picker: Rollout) -> bool:
    if picker.found and picker.desired == 0:
        return not _switched_off(service, picker)
    return picker_ready(picker).status == "True"


def _faults(
    service: ModelService, picker: Rollout, *others: Rollout | Acceptance | None
) -> Iterator[WorkloadFault]:
    """Yield what waiting does not mend: of the Deployments, of what pool and route were told."""
    for part in (picker, *others):
        if part is not None and part.fault is not None:
            yield part.fault
    if _switched_off(service, picker):
        ready = picker_ready(picker)
        yield WorkloadFault(ready.reason, ready.message)


def _switched_off(service: ModelService, picker: Rollout) -> bool:
    """Return whether the gateway fails every request, because it asks a picker that nobody wants to run."""
    fails = service.pool is None or service.pool.failure_mode == "FailClose"
    return picker.found and picker.desired == 0 and fails


def _pool(service: ModelService, live: Live) -> Acceptance:
    name = names.pool(service.name)
    reference = Reference(gvk.POOL, "InferencePool", service.namespace, name)
    return acceptance(live.get(reference), f"InferencePool {name}")


def _route(service: ModelService, live: Live) -> Acceptance | None:
    """Return what gateways say of the route; None where the service has none, since the default route is switched off."""
    name = names.route(service.name)
    reference = Reference(gvk.GATEWAY, "HTTPRoute", service.namespace, name)
    if live.get(reference) is None and service.route is None:
        return None
    return acceptance(live.get(reference), f"HTTPRoute {name}")


def _reachable(pool: Acceptance, route: Acceptance | None) -> bool:
    """Return whether requests arrive. Not every gateway reports on pools, so only a refusal counts there."""
    return pool.status != "False" and (route is None or route.status == "True")


def _status(
    service: ModelService,
    live: Live,
    phase: str,
    decode: Rollout,
    prefill: Rollout | None,
    conditions: Sequence[Condition],
) -> Json:
    """Return the status. A counter that is zero is written, so that its column is not blank."""
    status: Json = {"phase": phase, "decodeReady": decode.ready, "decodeReplicas": decode.desired}
    if prefill is not None:
        status |= {"prefillReady": prefill.ready, "prefillReplicas": prefill.desired}
    parent = live.get(service.reference)
    generation = parent["metadata"].get("generation") if parent else None
    seen = {} if generation is None else {"observedGeneration": generation}
    ordered = sorted(conditions, key=lambda condition: condition.type)
    return {
        **status,
        **seen,
        "conditions": [{**condition.to_dict(), **seen} for condition in ordered],
    }


def _problems(service: ModelService, decode: Rollout, prefill: Rollout | None) -> Iterator[Problem]:
    """Yield roles that somebody else scaled to nothing; what the author asks for is reported by a check."""
    roles = (("decode", service.decode, decode), ("prefill", service.prefill, prefill))
    for name, role, part in roles:
        asked_for = role is not None and role.replicas == 0
        if part is not None and part.found and part.desired == 0 and not asked_for:
            message = (
                "0: scaled to zero, so nothing serves requests although the service counts as ready"
            )
            yield Problem(f"spec.{name}.replicas", message, "warning", rule="scaled-to-zero")
