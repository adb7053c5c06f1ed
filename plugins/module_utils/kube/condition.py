# SPDX-License-Identifier: GPL-3.0-or-later
"""Statements about an object, as `status.conditions` holds them, and those that gateways make about routes and pools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .manifest import Json

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


#: What gateways say of a parent that is there and for which waiting does not help.
_FINAL = frozenset(
    {
        "NotAllowedByListeners",
        "NoMatchingListenerHostname",
        "NoMatchingParent",
        "InvalidKind",
        "UnsupportedValue",
    }
)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What all parents say together. final: waiting does not help."""

    status: Truth
    reason: str
    message: str
    final: bool = False


def acceptance(live: Json | None, name: str) -> Acceptance:
    """Return whether every gateway that an object is attached to has accepted it.

    Reads `status.parents[].conditions` of an HTTPRoute or an InferencePool; statements about an older generation do not
    count. name: how messages call the object.
    """
    if live is None:
        return Acceptance("False", "NotFound", f"{name} does not exist")
    parents = (live.get("status") or {}).get("parents") or ()
    said = [
        (_parent_name(parent), condition)
        for parent in parents
        for condition in _current(parent, live["metadata"].get("generation") or 0)
    ]
    for parent, condition in said:
        if condition.get("status") == "False":
            reason = condition.get("reason") or "NotAccepted"
            message = f"{name}, {parent}: {reason}: {condition.get('message', '')}"
            return Acceptance("False", reason, message, final=reason in _FINAL)
    accepted = {
        parent
        for parent, condition in said
        if (condition.get("type"), condition.get("status")) == ("Accepted", "True")
    }
    if accepted and len(accepted) == len({_parent_name(parent) for parent in parents}):
        return Acceptance(
            "True", "Accepted", f"{name} is accepted by {', '.join(sorted(accepted))}"
        )
    return Acceptance("Unknown", "Pending", f"No gateway has reported on {name} yet")


def _current(parent: Json, generation: int) -> Iterator[Json]:
    for condition in parent.get("conditions") or ():
        seen = condition.get("observedGeneration")
        if condition.get("type") in ("Accepted", "ResolvedRefs") and (
            not seen or seen >= generation
        ):
            yield condition


def _parent_name(parent: Mapping[str, Any]) -> str:
    reference = parent.get("parentRef") or {}
    place = f"{reference['namespace']}/" if reference.get("namespace") else ""
    return f"{reference.get('kind') or 'Gateway'} {place}{reference.get('name', '')}"
