# SPDX-License-Identifier: GPL-3.0-or-later
"""What Knative says of a component. Source: KServe pkg/apis/serving/v1beta1/inference_service_status.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....kube.condition import Truth
from ....kube.fields import filled
from ....kube.manifest import Json
from ..names import Role
from .condition_set import ConditionSet
from .types import LATEST, ROUTES, configuration_ready, ready, route_ready

_ALL = 100


def take_over(role: Role, before: Json, live: Json | None, conditions: ConditionSet) -> Json:
    """Return the component's part of the status, and set its conditions. before: that part until now."""
    status = (live or {}).get("status") or {}
    said = _conditions(status)
    component = {**before, **_rolled_out(before, status)}
    component["latestCreatedRevision"] = status.get("latestCreatedRevisionName")
    component["latestReadyRevision"] = status.get("latestReadyRevisionName")
    if (said.get("Ready") or {}).get("status") == "True":
        reported = {"address": status.get("address"), "url": status.get("url")}
        component |= filled(reported)
    kinds = {
        "Ready": ready(role),
        "RoutesReady": route_ready(role),
        "ConfigurationsReady": configuration_ready(role),
    }
    for theirs, ours in kinds.items():
        if theirs in said:
            one = said[theirs]
            truth: Truth = one["status"]
            conditions.put(ours, truth, one.get("reason") or "", one.get("message") or "")
    component["traffic"] = status.get("traffic")
    return filled(component)


def summarise(roles: Sequence[Role], conditions: ConditionSet) -> None:
    """Say whether Knative has revisions of all components and routes to them; the last that is not ready is named."""
    for kind, of_role in ((ROUTES, route_ready), (LATEST, configuration_ready)):
        status: Truth = "True"
        reason = ""
        for role in roles:
            said = conditions.status(of_role(role))
            if said != "True":
                status = "False" if said == "False" else "Unknown"
                reason = f"{of_role(role)} not ready"
        conditions.put(kind, status, reason)


def any_failed(live: Json | None) -> bool:
    """Return whether Knative says no to anything."""
    said = _conditions((live or {}).get("status") or {})
    return any(one.get("status") == "False" for one in said.values())


def newest_is_ready(live: Json | None) -> bool:
    """Return whether the revision that was made last is the one that serves."""
    status = (live or {}).get("status") or {}
    created = status.get("latestCreatedRevisionName")
    return bool(created == status.get("latestReadyRevisionName"))


def _rolled_out(before: Json, status: Json) -> Json:
    """Return which revision was rolled out last, and which before it: a new one once it gets everything, the old one after a rollback."""
    latest = status.get("latestReadyRevisionName")
    known = before.get("latestRolledoutRevision")
    previous = before.get("previousRolledoutRevision")
    traffic = status.get("traffic") or ()
    found: dict[str, str | None] = {
        "latestRolledoutRevision": known,
        "previousRolledoutRevision": previous,
    }
    for part in traffic:
        if not part.get("latestRevision") or part.get("revisionName") != latest:
            continue
        share = part.get("percent") or 0
        if latest != known and share == _ALL:
            found = {"latestRolledoutRevision": latest, "previousRolledoutRevision": known}
        elif latest == known and _is_rolled_back(traffic, status, share) and previous:
            found["latestRolledoutRevision"] = previous
    return found


def _is_rolled_back(traffic: Sequence[Json], status: Json, share: int) -> bool:
    latest = status.get("latestReadyRevisionName")
    total = sum(part.get("percent") or 0 for part in traffic if part.get("revisionName") == latest)
    created = status.get("latestCreatedRevisionName")
    return latest == created and share < _ALL and total == _ALL


def _conditions(status: Json) -> Mapping[str, Json]:
    return {one["type"]: one for one in status.get("conditions") or ()}
