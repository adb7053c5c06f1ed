# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an LLMInferenceService, from its live children and from what its router names.

The conditions are the controller's. `ready` asks for more: the pods have to be of the present templates.
Source: KServe pkg/controller/v1alpha2/llmisvc/{router_discovery,router}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...kube.condition import Condition, acceptance
from ...kube.fault import WorkloadFault
from ...kube.fields import filled
from ...kube.manifest import Json
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.rollout import Rollout, read_rollout
from ..kind import Observation
from .conditions import condition_types
from .conditions.condition_types import (
    GATEWAYS,
    GROUP,
    GROUP_DEGRADED,
    MAIN,
    PARTS,
    PICKER,
    POOL,
    PRESETS,
    READY,
    ROUTER,
    ROUTES,
    TOKENIZER,
    WORKLOADS,
    counting,
    to_json,
)
from .conditions.pools import pool_state
from .conditions.routes import gateways_condition, live_routes, routes_condition
from .conditions.routing_group import group_conditions
from .conditions.scaling import scaling_conditions
from .conditions.workloads import (
    picker_condition,
    picker_reference,
    tokenizer_condition,
    tokenizer_reference,
    workload_conditions,
    workload_references,
)
from .entrance import addressed_routes
from .parts_status import TELLS_PARTS, router_part, workloads_part
from .resolved import Resolved
from .router.addresses import Addresses, service_addresses
from .router.references import REFS_INVALID, InvalidReferences, invalid_references
from .router.urls import DiscoveryError

PRESET_ANNOTATION = "serving.kserve.io/"


@dataclass(frozen=True, slots=True)
class _Router:
    """What is said of the router. addresses: None where nothing new is known of them. part: what it consists of.

    whole: whether the controller came to its end, after which it says what the workloads are.
    """

    conditions: tuple[Condition, ...]
    addresses: Addresses | None = None
    part: Json | None = None
    whole: bool = False


def observe(resolved: Resolved, reader: Reader, pods: Sequence[Json] = ()) -> Observation:
    """Return the status that live objects give a service. reader: sees its children, its custom resource, Gateways and routes."""
    parent = reader.get(resolved.service.reference) or {}
    before: Json = parent.get("status") or {}
    invalid = invalid_references(resolved, reader)
    if invalid is not None:
        router = _invalid(invalid, before)
    else:
        router = _router(resolved, before, reader)
    parts = [
        _presets(resolved),
        *workload_conditions(resolved, reader),
        *scaling_conditions(resolved, reader),
        *router.conditions,
    ]
    summaries = _summaries(parts, counting(resolved.settings.release))
    conditions = {part.type: part for part in (*parts, *summaries)}
    status = _status(resolved, parent, conditions.values(), router.addresses)
    if TELLS_PARTS.at(resolved.settings.release):
        status |= _parts(resolved, before, router, reader)
    rollouts = _rollouts(resolved, reader, pods)
    return Observation(
        status=status,
        ready=conditions[READY].status == "True" and all(one.complete for one in rollouts),
        faults=tuple(_faults(resolved, reader, rollouts, invalid)),
        awaited={invalid.condition: invalid.missing} if invalid else {},
        url=status.get("url", ""),
    )


def _presets(resolved: Resolved) -> Condition:
    if resolved.warning:
        message = f"Service is stopped with warning: {resolved.warning}"
        return condition_types.false(PRESETS, "Stopped", message)
    return condition_types.true(PRESETS)


def reconcile_error(observation: Observation, message: str) -> Observation:
    """Return the observation of a service of which a child could not be applied: KServe says so of the workload."""
    failed = [
        condition_types.false(kind, "ReconcileError", message) for kind in (MAIN, WORKLOADS, READY)
    ]
    kept = {one["type"]: one for one in observation.status.get("conditions") or ()}
    kept |= {one.type: to_json(one, tuple(PARTS)) for one in failed}
    status = {**observation.status, "conditions": _sorted(kept)}
    faults = (WorkloadFault("ReconcileError", message), *observation.faults)
    return replace(observation, status=status, ready=False, faults=faults)


def _router(resolved: Resolved, before: Json, reader: Reader) -> _Router:
    """Return what is said where every reference leads somewhere, as far as the controller comes in one run."""
    helpers = (picker_condition(resolved, reader), tokenizer_condition(resolved, reader))
    routes = addressed_routes(resolved, reader)
    group = group_conditions(resolved)
    try:
        addresses = service_addresses(resolved, routes, reader)
    except DiscoveryError as error:
        message = f"Failed to reconcile HTTPRoute: {error}"
        failed = condition_types.false(ROUTES, "HTTPRouteReconcileError", message)
        return _Router(_present(*helpers, failed, *group))
    part = router_part(resolved, before.get("router") or {}, routes, reader)
    pool = pool_state(resolved, routes, reader)
    if pool.ends:
        return _Router(_present(*helpers, pool.condition, *group), addresses, part)
    gateways = gateways_condition(resolved, reader)
    accepted = routes_condition(resolved, reader)
    said = _present(*helpers, pool.condition, gateways, accepted, *group)
    return _Router(said, addresses, part, whole=True)


def _invalid(invalid: InvalidReferences, before: Json) -> _Router:
    """Return what is said where a reference leads nowhere: of all that comes after it, what was said before."""
    said = condition_types.false(invalid.condition, REFS_INVALID, invalid.message)
    later = {POOL, PICKER, TOKENIZER, GROUP, GROUP_DEGRADED} | (
        {ROUTES} if invalid.condition == GATEWAYS else set()
    )
    kept = [
        condition_types.from_json(one)
        for one in before.get("conditions") or ()
        if one["type"] in later and one.get("reason") != REFS_INVALID
    ]
    return _Router((said, *kept))


def _present(*conditions: Condition | None) -> tuple[Condition, ...]:
    return tuple(condition for condition in conditions if condition is not None)


def _summaries(parts: Iterable[Condition], counts: Sequence[str]) -> Iterator[Condition]:
    """Yield the three summaries. counts: what Ready is made of, of which the router has the last word."""
    said = {part.type: part for part in parts}
    said |= {kind: _summary(kind, said) for kind in (WORKLOADS, ROUTER)}
    yield from (said[kind] for kind in (WORKLOADS, ROUTER))
    found = [said[kind] for kind in counts]
    refused = next((one for one in reversed(found) if one.status == "False"), None)
    yield replace(refused, type=READY) if refused else condition_types.true(READY)


def _summary(kind: str, said: Mapping[str, Condition]) -> Condition:
    for part in PARTS[kind]:
        if part in said and said[part].status == "False":
            return replace(said[part], type=kind)
    return condition_types.true(kind)


def _status(
    resolved: Resolved, parent: Json, conditions: Iterable[Condition], addresses: Addresses | None
) -> Json:
    before: Json = parent.get("status") or {}
    counts = counting(resolved.settings.release)
    keeps_url = addresses is None or addresses.keep_url
    told = before.get("addresses") if addresses is None else list(addresses.addresses)
    kept = {f"{PRESET_ANNOTATION}{suffix}": name for suffix, name in resolved.preset_names.items()}
    return filled(
        {
            "url": before.get("url") if keeps_url or addresses is None else addresses.url,
            "observedGeneration": (parent.get("metadata") or {}).get("generation"),
            "conditions": _sorted({one.type: to_json(one, counts) for one in conditions}),
            "annotations": {**(before.get("annotations") or {}), **kept},
            "addresses": told,
        }
    )


def _parts(resolved: Resolved, before: Json, router: _Router, reader: Reader) -> Json:
    """Return what the status says the service consists of; what the controller did not come to stays as it was."""
    reached = router.addresses is not None
    kept = resolved.warning != ""
    return filled(
        {
            "appliedConfigs": before.get("appliedConfigs") if kept else list(resolved.applied),
            "router": router.part if reached else before.get("router"),
            "workloads": workloads_part(resolved, reader)
            if router.whole
            else before.get("workloads"),
        }
    )


def _sorted(conditions: Mapping[str, Json]) -> list[Json]:
    return [conditions[kind] for kind in sorted(conditions)]


def _rollouts(resolved: Resolved, reader: Reader, pods: Sequence[Json]) -> list[Rollout]:
    """Return the state of everything of the service that runs pods."""
    picker = picker_reference(resolved)
    found = []
    for reference in (
        *workload_references(resolved).values(),
        tokenizer_reference(resolved),
        picker,
    ):
        if reference is not None:
            rollout = read_rollout(reader.get(reference), pods)
            # Of several pickers only the leader gets ready.
            leads = reference == picker and rollout.ready > 0 and rollout.rolled_out
            found.append(replace(rollout, desired=min(rollout.desired, 1)) if leads else rollout)
    return found


def _faults(
    resolved: Resolved,
    reader: Reader,
    rollouts: Sequence[Rollout],
    invalid: InvalidReferences | None,
) -> Iterator[WorkloadFault]:
    """Yield what waiting does not mend."""
    if resolved.stopped:
        yield WorkloadFault("Stopped", "the service is stopped by its annotation")
    yield from (rollout.fault for rollout in rollouts if rollout.fault is not None)
    if invalid is not None:
        yield WorkloadFault(REFS_INVALID, invalid.message)
    for live in live_routes(resolved, reader, managed=True):
        said = acceptance(live, str(Reference.of(live)))
        if said.fault is not None:
            yield said.fault
