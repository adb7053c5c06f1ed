# SPDX-License-Identifier: GPL-3.0-or-later
"""Statements about an object, as `status.conditions` holds them, and those that gateways make about routes and pools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import gvk
from .fault import WorkloadFault
from .manifest import Json
from .reference import Reference

GATEWAY_GROUP = gvk.GATEWAY_GROUP
Truth = Literal["True", "False", "Unknown"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One statement, without times."""

    type: str
    status: Truth
    reason: str
    message: str

    def to_dict(self) -> Json:
        """Return the condition as the API takes it."""
        return {
            "type": self.type,
            "status": self.status,
            "reason": self.reason,
            "message": self.message,
        }


#: Why an object is not accepted yet although nothing is wrong with it.
_PASSING = frozenset({"NotFound", "Pending", "NoReadyListeners", "HTTPRouteNotAccepted"})


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What all parents say together. awaited: the Gateways that the object names and that have not reported on it."""

    status: Truth
    reason: str
    message: str
    awaited: tuple[Reference, ...] = ()

    @property
    def fault(self) -> WorkloadFault | None:
        """The refusal, None where there is none or where it will pass by itself."""
        if self.status != "False" or self.reason in _PASSING:
            return None
        return WorkloadFault(self.reason, self.message)


def acceptance(live: Json | None, name: str) -> Acceptance:
    """Return whether every gateway that an object is attached to has accepted it.

    Reads `status.parents[].conditions` of an HTTPRoute or an InferencePool; statements about an older generation do not
    count. name: how messages call the object.
    """
    if live is None:
        return Acceptance("False", "NotFound", f"{name} does not exist")
    namespace = live["metadata"].get("namespace") or ""
    parents = parents_of(live)
    said = [
        (parent.get("parentRef") or {}, condition)
        for parent in parents
        for condition in _current(parent, live["metadata"].get("generation") or 0)
    ]
    for parent, condition in said:
        if condition.get("status") == "False":
            reason = condition.get("reason") or "NotAccepted"
            message = f"{name}, {_shown(parent)}: {reason}: {condition.get('message', '')}"
            return Acceptance("False", reason, message)
    accepted = {
        _reference(parent, namespace): _shown(parent)
        for parent, condition in said
        if (condition.get("type"), condition.get("status")) == ("Accepted", "True")
    }
    named = (live.get("spec") or {}).get("parentRefs") or ()
    wanted = [*named, *(parent.get("parentRef") or {} for parent in parents)]
    silent = dict.fromkeys(_reference(parent, namespace) for parent in wanted)
    awaited = tuple(parent for parent in silent if parent not in accepted)
    if accepted and not awaited:
        by = ", ".join(sorted(accepted.values()))
        return Acceptance("True", "Accepted", f"{name} is accepted by {by}")
    text = f"No gateway has reported on {name} yet"
    if accepted:
        text = f"{', '.join(map(str, awaited))} has not reported on {name} yet"
    gateways = tuple(parent for parent in awaited if parent.kind == "Gateway")
    return Acceptance("Unknown", "Pending", text, gateways)


def parents_of(live: Json) -> Sequence[Json]:
    """Return what gateways say of a route or a pool, an entry each. Pools of the old group have the list as `parent`."""
    status = live.get("status") or {}
    found: Sequence[Json] = status.get("parents") or status.get("parent") or ()
    return found


def _current(parent: Json, generation: int) -> Iterator[Json]:
    for condition in parent.get("conditions") or ():
        seen = condition.get("observedGeneration")
        if condition.get("type") in ("Accepted", "ResolvedRefs") and (
            not seen or seen >= generation
        ):
            yield condition


def _reference(parent: Mapping[str, Any], namespace: str) -> Reference:
    """Return what a parentRef names. namespace: that of the object in which it is."""
    group = parent.get("group", GATEWAY_GROUP)
    kind, name = parent.get("kind") or "Gateway", parent.get("name") or ""
    return Reference(f"{group}/v1", kind, parent.get("namespace") or namespace, name)


def _shown(parent: Mapping[str, Any]) -> str:
    return str(_reference(parent, parent.get("namespace") or ""))
