# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object, as the API server returns it, does its work now. Statements about an older generation do not count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .condition import acceptance
from .manifest import Json
from .rollout import read_rollout

#: Their counters say more than their conditions, which stay true while a rollout continues.
_COUNTED = frozenset({"Deployment", "StatefulSet"})

#: What each kind calls it. The first that the object has decides.
_CONDITIONS = ("Ready", "Available", "Programmed", "Established", "Complete")


def is_ready(live: Json) -> bool:
    """Return whether an object is ready.

    Deployments and StatefulSets: every replica is ready and of the present template. Routes and pools: accepted by every
    gateway. Others: their condition Ready (or Available, Programmed, Established, Complete) is true. An object that is
    being deleted, or whose controller has not seen its present generation, is not ready.
    Raises ValueError for an object that has no readiness, such as a ConfigMap.
    """
    metadata, spec, status = (live.get(part) for part in ("metadata", "spec", "status"))
    if not isinstance(metadata, Mapping) or not live.get("kind"):
        raise ValueError(
            "neither a service result with `ready`, nor an object with `kind` and `metadata`"
        )
    if not isinstance(spec, Mapping | None) or not isinstance(status, Mapping | None):
        raise ValueError("`spec` and `status` of an object are mappings")
    name = str(metadata.get("name") or "")
    if spec is None and status is None:
        raise ValueError(
            f"{live['kind']} {name} has neither spec nor status: this kind is never ready"
        )
    if metadata.get("deletionTimestamp"):
        return False
    if live["kind"] in _COUNTED:
        return read_rollout({**live, "metadata": {**metadata, "name": name}}, ()).complete
    status, generation = status or {}, metadata.get("generation") or 0
    if status.get("observedGeneration", generation) < generation:
        return False
    if not status.keys().isdisjoint(("parents", "parent")):
        return acceptance(live, name).status == "True"
    return _says_so(status, generation)


def _says_so(status: Mapping[str, Any], generation: int) -> bool:
    said = dict(_current(status, generation))
    for condition in _CONDITIONS:
        if condition in said:
            return said[condition]
    return False


def _current(status: Mapping[str, Any], generation: int) -> Iterator[tuple[str, bool]]:
    """Yield what each condition says; one about an older generation says no."""
    for condition in status.get("conditions") or ():
        seen = condition.get("observedGeneration") or generation
        yield condition.get("type", ""), condition.get("status") == "True" and seen >= generation
