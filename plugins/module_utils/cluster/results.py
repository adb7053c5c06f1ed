# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster answers, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..kube.manifest import Json

_CONTROL_PLANE = "kube-controller-manager"
#: Seconds between two times that the server takes in one request.
_SAME_REQUEST = 2.0


@dataclass(frozen=True, slots=True)
class Applied:
    """An object as it is stored after an apply. created: the apply made it, rather than merging into what was there."""

    object: Json
    created: bool


def created_by_us(stored: Mapping[str, Any], manager: str) -> bool:
    """Return whether an apply of ours, whose answer was lost, created this object.

    So it is where our entry is as old as the object (both times are the server's), and nobody else gave it content at that
    time. Controllers complete what is new: with a status, with finalizers and other metadata, with the token of a Secret.
    """
    meta = stored.get("metadata") or {}
    born = _time(meta.get("creationTimestamp"))
    ours: datetime | None = None
    for entry in meta.get("managedFields") or []:
        if entry.get("subresource"):
            continue
        written = _time(entry.get("time"))
        if entry.get("manager") == manager and entry.get("operation") == "Apply":
            ours = written
        elif _completes(entry):
            continue
        elif born is None or written is None or (written - born).total_seconds() <= _SAME_REQUEST:
            return False
    return (
        born is not None
        and ours is not None
        and abs((ours - born).total_seconds()) <= _SAME_REQUEST
    )


def _completes(entry: Mapping[str, Any]) -> bool:
    """Return whether somebody only added to an object what its maker leaves to others."""
    by_control_plane = entry.get("manager") == _CONTROL_PLANE
    return by_control_plane or (entry.get("fieldsV1") or {}).keys() == {"f:metadata"}


def _time(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None
