# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the Gateways of a service work and have taken its routes. Source: KServe pkg/controller/v1alpha2/llmisvc/{router,router_discovery}.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ....kube.condition import GATEWAY_GROUP, Condition
from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since
from ...kserve.releases import KServe
from .. import names
from ..resolved import Resolved
from ..router.kinds import parent_gateway, route, shown
from ..router.references import named_gateways, named_routes
from .condition_types import GATEWAYS, ROUTES, false, stopped, true
from .pools import is_stale, quoted

#: How Go writes the status of a route that nobody has looked at.
_UNSEEN = "v1.HTTPRouteStatus{{RouteStatus:v1.RouteStatus{{Parents:[]v1.RouteParentStatus{}}}}}"
#: Whether the Gateways count that routes lead through, in place of those that the author names.
_BY_ROUTES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})
_MISSING = {
    "type": "ResolvedRefs",
    "status": "Unknown",
    "reason": "ConditionMissing",
    "message": "ResolvedRefs condition not yet reported by gateway controller",
}


def gateways_condition(resolved: Resolved, reader: Reader) -> Condition | None:
    """Return whether the Gateways work that the service names, or that routes of its author name; None where it names none."""
    if resolved.stopped:
        return stopped(GATEWAYS)
    if not named_gateways(resolved):
        return None
    by_routes = _BY_ROUTES.at(resolved.settings.release)
    wanted = {} if by_routes else dict.fromkeys(named_gateways(resolved))
    specs = [live.get("spec") or {} for live in live_routes(resolved, reader, managed=False)]
    if by_routes:
        specs.append(resolved.at("router", "route", "http", "spec") or {})
    for spec in specs:
        for parent in spec.get("parentRefs") or ():
            wanted[parent_gateway(parent, resolved.namespace)] = None
    waiting = sorted(shown(one) for one in wanted if not _is_programmed(reader.get(one) or {}))
    if not waiting:
        return true(GATEWAYS)
    message = f"The following Gateways are not ready: [{' '.join(waiting)}]"
    return false(GATEWAYS, "GatewaysNotReady", message)


def routes_condition(resolved: Resolved, reader: Reader) -> Condition | None:
    """Return whether the Gateways take all routes of the service; None where it has no route."""
    if resolved.stopped:
        return stopped(ROUTES)
    if resolved.at("router", "route", "http") is None:
        return None
    routes = live_routes(resolved, reader, managed=True)
    waiting = [text for text in map(route_fault, routes) if text]
    if not waiting:
        return true(ROUTES)
    message = f"The following HTTPRoutes are not ready: [{' '.join(waiting)}]"
    return false(ROUTES, "HTTPRoutesNotReady", message)


def live_routes(resolved: Resolved, reader: Reader, *, managed: bool) -> list[Json]:
    """Return the routes of a service that are there: those of its author, and then the managed one where it is asked for."""
    references: list[Reference] = list(named_routes(resolved))
    if managed and resolved.at("router", "route", "http", "spec") is not None:
        references.append(route(resolved.namespace, names.route(resolved.name)))
    return [live for live in map(reader.get, references) if live is not None]


def route_fault(live: Json) -> str:
    """Return what the Gateways say against a live route, in the controller's words; empty where all take it as it is now."""
    place = shown(Reference.of(live))
    named: Sequence[Json] = value_at(live, ("spec", "parentRefs")) or ()
    parents: Sequence[Json] = value_at(live, ("status", "parents")) or ()
    generation = live["metadata"].get("generation") or 0
    refused = next(_refusals(parents, generation), None)
    namespace = live["metadata"].get("namespace") or ""
    silent = [one for one in named if not _has_reported(one, parents, namespace)]
    if refused is not None:
        return f"{place}: {quoted(refused)}"
    if silent or not named:
        return f"{place}: {_unseen(silent, live)}"
    return ""


def _unseen(silent: Sequence[Json], live: Json) -> str:
    """Say that nobody has reported. Where somebody else has, Go would write addresses of its memory."""
    parents = value_at(live, ("status", "parents"))
    if not parents:
        return _UNSEEN.format("(nil)" if parents is None else "{}")
    if not silent:
        return "not reported on by a Gateway of the route, which names none"
    waiting = ", ".join(str(parent.get("name")) for parent in silent)
    return f"not reported on by {waiting}"


def _refusals(parents: Sequence[Json], generation: int) -> Iterator[Json]:
    """Yield what speaks against a route. A parent without Accepted is no gateway and says nothing."""
    for parent in parents:
        said = {one.get("type"): one for one in parent.get("conditions") or ()}
        if "Accepted" not in said:
            continue
        for condition in (said["Accepted"], said.get("ResolvedRefs", _MISSING)):
            if condition.get("status") != "True" or is_stale(condition, generation):
                yield condition
                break


def _has_reported(named: Json, parents: Sequence[Json], namespace: str) -> bool:
    return any(
        _identity(named, namespace) == _identity(parent.get("parentRef") or {}, namespace)
        and any(one.get("type") == "Accepted" for one in parent.get("conditions") or ())
        for parent in parents
    )


def _identity(parent: Json, namespace: str) -> tuple[Any, ...]:
    return (
        parent.get("group", GATEWAY_GROUP),
        parent.get("kind", "Gateway"),
        parent.get("namespace", namespace),
        parent.get("name"),
        parent.get("sectionName", ""),
        parent.get("port", 0),
    )


def _is_programmed(live: Json) -> bool:
    for condition in value_at(live, ("status", "conditions")) or ():
        if condition.get("type") == "Programmed":
            return bool(condition.get("status") == "True")
    return False
