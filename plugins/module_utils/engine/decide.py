# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an apply would change nothing, proved from what was listed.

Four witnesses have to agree: the hash of the intent, the fields that we own, their values, and the order of keyed items. The rule
is sound and may be incomplete: any doubt means that the apply is sent, which costs a request; a wrong proof would lose a change.
Source: reference/performance-reliability.md §3.3; each pitfall of §3.4 is a test.
"""

from __future__ import annotations

from typing import Any

from ..kube import managed_fields
from ..kube.manifest import Json
from ..kube.reference import Reference
from . import FIELD_MANAGER, INTENT_ANNOTATION, METADATA_ONLY, TAKEN_BACK_ANNOTATION
from .desired import Desired


def doubt(desired: Desired, live: Json, owner_uid: str) -> str | None:
    """Return why an apply has to be sent, or None where it is proved to change nothing.

    owner_uid: the uid of the parent, empty where the child carries no owner reference.
    """
    metadata = live["metadata"]
    if metadata.get("deletionTimestamp"):
        return "it is being deleted"
    if (metadata.get("annotations") or {}).get(INTENT_ANNOTATION) != desired.digest:
        return "what is wanted differs from what was applied last"
    entry = managed_fields.apply_entry(live, FIELD_MANAGER)
    if entry is None:
        return "its managed fields hold no apply of ours"
    if entry.get("apiVersion") != desired.reference.api_version:
        return f"it was applied as {entry.get('apiVersion')}"
    fields = entry.get("fieldsV1")
    if not fields:
        return "its managed fields do not say which fields are ours"
    intent = managed_fields.tracked(desired.manifest(owner_uid))
    return _uncovered(intent, fields, desired.unclaimed) or _drift(
        _visible(intent, desired.reference), live, fields, ""
    )


def _visible(intent: Json, reference: Reference) -> Json:
    """Return the part of the intent that can be compared: metadata alone where only metadata is read."""
    if (reference.api_version, reference.kind) in METADATA_ONLY:
        return {"metadata": intent["metadata"]}
    return intent


def _uncovered(intent: Json, fields: Json, unclaimed: dict[tuple[str, ...], Any]) -> str | None:
    """Return a field that only one of intent and entry has.

    An unclaimed field may still be in the entry of the create, and what was taken back is remembered beside the intent.
    """
    memory = ("metadata", "annotations", TAKEN_BACK_ANNOTATION)
    return _walk_cover(intent, fields, (), frozenset(unclaimed) | {memory})


def _walk_cover(
    value: Any, fields: Json, path: tuple[str, ...], unclaimed: frozenset[tuple[str, ...]]
) -> str | None:
    below = {step: inner for step, inner in fields.items() if step != "."}
    if not below:
        return None
    if isinstance(value, dict):
        owned = managed_fields.members(below)
        if len(owned) != len(below):
            return _text(path, "is not recorded as a map")
        surplus = {name for name in owned.keys() - value.keys() if (*path, name) not in unclaimed}
        if missing := (value.keys() - owned.keys()) | surplus:
            name = sorted(missing)[0]
            return _text(
                (*path, name),
                "is owned but no longer wanted" if name in surplus else "is not ours any more",
            )
        return _first(
            _walk_cover(inner, owned[name], (*path, name), unclaimed)
            for name, inner in value.items()
            if name in owned
        )
    if isinstance(value, list):
        return _cover_list(value, below, path, unclaimed)
    return _text(path, "is recorded as more than a value")


def _cover_list(
    value: list[Any], fields: Json, path: tuple[str, ...], unclaimed: frozenset[tuple[str, ...]]
) -> str | None:
    if managed_fields.is_set(fields):
        members = managed_fields.set_items(fields)
        same = len(members) == len(fields) == len(value) and all(item in members for item in value)
        return None if same else _text(path, "holds other items than ours")
    if not managed_fields.is_keyed(fields):
        return _text(path, "is recorded in an unknown form")
    owned = managed_fields.items(fields)
    if len(owned) != len(value) or len(owned) != len(fields):
        return _text(path, "holds other items than ours")
    for item in value:
        found = [below for key, below in owned if managed_fields.matches(key, item, defaulted=True)]
        if len(found) != 1:
            return _text(path, "has an item that is not ours any more")
        if problem := _walk_cover(item, found[0], path, unclaimed):
            return problem
    return None


def _drift(wanted: Any, live: Any, fields: Json, path: str) -> str | None:
    """Return the first field whose live value or place is not ours."""
    below = {step: inner for step, inner in fields.items() if step != "."}
    if not below:
        return None if contains(live, wanted) else f"{path} was changed"
    if isinstance(wanted, dict):
        if not isinstance(live, dict):
            return f"{path} was removed"
        owned = managed_fields.members(below)
        return _first(
            f"{path}.{name}".lstrip(".") + " was removed"
            if name not in live
            else _drift(inner, live[name], owned.get(name, {}), f"{path}.{name}".lstrip("."))
            for name, inner in wanted.items()
        )
    if not isinstance(live, list):
        return f"{path} was removed"
    if managed_fields.is_set(below):
        return None if all(item in live for item in wanted) else f"{path} was changed"
    return _drift_keyed(wanted, live, managed_fields.items(below), path)


def _drift_keyed(
    wanted: list[Any], live: list[Any], owned: list[tuple[Json, Json]], path: str
) -> str | None:
    places = []
    for item in wanted:
        key, fields = next(
            (key, fields)
            for key, fields in owned
            if managed_fields.matches(key, item, defaulted=True)
        )
        found = [
            place for place, candidate in enumerate(live) if managed_fields.matches(key, candidate)
        ]
        if len(found) != 1:
            return f"{path} lost an item"
        places.append(found[0])
        label = ",".join(str(value) for value in key.values())
        if problem := _drift(item, live[found[0]], fields, f"{path}[{label}]"):
            return problem
    return None if places == sorted(places) else f"{path} was put in another order"


def contains(live: Any, wanted: Any) -> bool:
    """Tell whether a live value holds everything wanted. Maps may hold more (defaults); lists have the same length."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(
            name in live and contains(live[name], inner) for name, inner in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(live, list)
            and len(live) == len(wanted)
            and all(contains(there, inner) for there, inner in zip(live, wanted, strict=True))
        )
    if isinstance(wanted, bool) or isinstance(live, bool):
        return live is wanted
    return bool(live == wanted)


def _first(problems: Any) -> str | None:
    return next((problem for problem in problems if problem), None)


def _text(path: tuple[str, ...], what: str) -> str:
    return f"{'.'.join(path)} {what}"
