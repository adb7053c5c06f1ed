# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a gateway has taken the InferencePool of a service. Source: KServe pkg/controller/v1alpha2/llmisvc/{router,router_discovery}.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....kube.condition import Condition, parents_of
from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since
from ...kserve.releases import KServe
from .. import names
from ..resolved import Resolved
from ..router.kinds import OLD_POOL_API, POOL_API, POOL_GROUP, parent_gateway, shown
from .condition_types import POOL, false, stopped, true

#: Whether only the Gateways count that lead to the service, and those that it has left do not.
_BY_GATEWAYS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})
FETCH_ERROR = "InferencePoolFetchError"


@dataclass(frozen=True, slots=True)
class PoolState:
    """What is said of the pool. ends: the controller says nothing more of the router in the same run."""

    condition: Condition | None
    ends: bool = False


def pool_state(resolved: Resolved, routes: Sequence[Json], reader: Reader) -> PoolState:
    """Return the state of a referenced pool, or of the service's own, which is ready as soon as one of both groups is.

    routes: those that lead to the service.
    """
    if resolved.stopped:
        return PoolState(stopped(POOL))
    if resolved.at("router", "scheduler") is None:
        return PoolState(None)
    gateways = _gateways(routes) if _BY_GATEWAYS.at(resolved.settings.release) else None
    if resolved.pool_ref:
        return _referenced(resolved, gateways, reader)
    name = names.inference_pool(resolved.name)
    references = [pool(api, resolved.namespace, name) for api in (POOL_API, OLD_POOL_API)]
    found = [live for live in map(reader.get, references) if live is not None]
    if not found:
        place = f"{resolved.namespace}/{name}"
        message = f"Inference Pool {place} not found (checked v1 and v1alpha2)"
        return PoolState(false(POOL, FETCH_ERROR, message))
    said = [pool_condition(live, gateways) for live in found]
    return PoolState(next((one for one in said if one.status == "True"), said[0]))


def pool(api_version: str, namespace: str, name: str) -> Reference:
    """Return the reference of an InferencePool."""
    return Reference(api_version, "InferencePool", namespace, name)


def _referenced(
    resolved: Resolved, gateways: Sequence[Reference] | None, reader: Reader
) -> PoolState:
    reference = pool(POOL_API, resolved.namespace, resolved.pool_ref)
    live = reader.get(reference)
    if live is not None:
        return PoolState(pool_condition(live, gateways))
    message = (
        f"failed to fetch referenced Inference Pool {shown(reference)}: "
        f'InferencePool.{POOL_GROUP} "{reference.name}" not found'
    )
    return PoolState(false(POOL, FETCH_ERROR, message), ends=True)


def _gateways(routes: Sequence[Json]) -> list[Reference]:
    """Return the Gateways that routes name, each once."""
    found = (
        parent_gateway(parent, route["metadata"]["namespace"])
        for route in routes
        for parent in value_at(route, ("spec", "parentRefs")) or ()
    )
    return list(dict.fromkeys(found))


def pool_condition(live: Json, gateways: Sequence[Reference] | None) -> Condition:
    """Return what the parents of a live pool say: each has to accept it as it is now.

    gateways: those that count, each of which has to say something; None where every parent counts.
    """
    place = shown(Reference.of(live))
    generation = live["metadata"].get("generation") or 0
    parents = parents_of(live)
    if gateways is not None:
        named = [
            parent_gateway(one.get("parentRef") or {}, live["metadata"]["namespace"])
            for one in parents
        ]
        parents = [one for one, gateway in zip(parents, named, strict=True) if gateway in gateways]
        silent = next((each for each in gateways if each not in named), None)
        if parents and silent is not None:
            message = f"Inference Pool {place} is not yet accepted by gateway {shown(silent)}"
            return false(POOL, "WaitingForGateway", message)
    if not parents:
        message = f"Inference Pool {place} exists but no Gateway controller has accepted it yet"
        return false(POOL, "WaitingForGateway", message)
    for parent in parents:
        said = next(
            (one for one in parent.get("conditions") or () if one.get("type") == "Accepted"), None
        )
        if said is None:
            message = f"The inference pool {place} is not ready"
            return false(POOL, "InferencePoolNotReady", message)
        if said.get("status") != "True" or is_stale(said, generation):
            return false(POOL, "InferencePoolNotReady", f"{place}: Accepted={quoted(said)}")
    return true(POOL)


def is_stale(condition: Json, generation: int) -> bool:
    """Return whether a condition speaks of an older generation of its object."""
    return 0 < (condition.get("observedGeneration") or 0) < generation


def quoted(condition: Json) -> str:
    """Return a condition as messages repeat it: its status with reason and message."""
    words = [_go_quoted(condition.get(field, "")) for field in ("status", "reason", "message")]
    return f"{words[0]} (reason {words[1]}, message {words[2]})"


def _go_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t") + '"'
