# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a write changed anything, judged on the fields that we send, and what it changed.

Never counted: status, resourceVersion, generation, managedFields, fields that the server fills in, keys under our own prefix,
and the owner's uid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..kube import managed_fields
from ..kube.manifest import Json, copied
from . import FIELD_MANAGER, HANDOVER_MANAGER, INTENT_ANNOTATION, METADATA_ONLY, PREFIX


@dataclass(frozen=True, slots=True)
class Difference:
    """The fields that we send, before and after a write; empty where the object is not there. taken_back: field and manager."""

    before: Json
    after: Json
    taken_back: tuple[tuple[str, str], ...] = ()

    @property
    def changed(self) -> bool:
        """Whether a field that we send is another than before."""
        return self.before != self.after


def difference(before: Json | None, after: Json | None, manager: str = FIELD_MANAGER) -> Difference:
    """Compare an object before and after a write of ours. manager: under which it is applied."""
    if before is None or after is None:
        return Difference(_owned(before, {}, manager), _owned(after, {}, manager))
    fields = _union(_fields(before, manager), _fields(after, manager))
    taken_back = tuple(_taken_back(before, after, manager))
    if (after["apiVersion"], after["kind"]) not in METADATA_ONLY:
        return Difference(
            _owned(before, fields, manager), _owned(after, fields, manager), taken_back
        )
    unread = "f:data" in fields and _intent(before) != _intent(after)
    fields = {"f:metadata": fields.get("f:metadata", {})}
    old, new = _owned(before, fields, manager), _owned(after, fields, manager)
    if unread:
        # What is not read shows by the intent alone.
        old, new = {**old, "data": "as it was"}, {**new, "data": "sent anew"}
    return Difference(old, new, taken_back)


def _intent(live: Json) -> str | None:
    return (live["metadata"].get("annotations") or {}).get(INTENT_ANNOTATION)


def _fields(live: Json, manager: str) -> Json:
    entry = managed_fields.apply_entry(live, manager)
    return dict(entry.get("fieldsV1") or {}) if entry else {}


def _union(left: Json, right: Json) -> Json:
    """Return the fields that either covers. A side that owns a whole value leaves it to the other side's finer record."""
    return {
        step: _union(left.get(step, {}), right.get(step, {})) for step in left.keys() | right.keys()
    }


def _owned(live: Json | None, fields: Json, manager: str) -> Json:
    """Return the part of an object that the fields cover, without what never counts; all that we send where fields is empty."""
    if live is None:
        return {}
    covered = fields or _fields(live, manager)
    part: Json = copied(managed_fields.project(live, covered)) if covered else {}
    metadata = part.get("metadata") or {}
    for name in ("labels", "annotations"):
        kept = {
            key: value
            for key, value in (metadata.get(name) or {}).items()
            if not key.startswith(PREFIX)
        }
        metadata.pop(name, None)
        if kept:
            metadata[name] = kept
    for reference in metadata.get("ownerReferences") or []:
        reference.pop("uid", None)
    if not metadata:
        part.pop("metadata", None)
    return part


def _taken_back(before: Json, after: Json, manager: str) -> list[tuple[str, str]]:
    """Return the fields that another manager had taken and that this write took back, with that manager's name."""
    owned = set(managed_fields.leaves(_fields(before, manager)))
    regained = {
        path
        for path in managed_fields.leaves(_fields(after, manager))
        if path not in owned and PREFIX not in path
    }
    found: list[tuple[str, str]] = []
    for entry in before["metadata"].get("managedFields") or []:
        if entry.get("manager") in (manager, HANDOVER_MANAGER):
            continue
        theirs: Any = set(managed_fields.leaves(entry.get("fieldsV1") or {}))
        found += [(path, str(entry.get("manager"))) for path in sorted(regained & theirs)]
    return found
