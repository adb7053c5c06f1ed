# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of fields as `managedFields` writes them (FieldsV1): put together, taken from each other, taken out of an object.

A step's own membership is written in two ways: an empty map where nothing is below it, a `.` where something does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import managed_fields
from .managed_fields import Fields
from .manifest import FieldPath

SELF = "."


def of_path(path: FieldPath) -> Fields:
    """Return the set of one field that no list is above."""
    fields: Fields = {}
    for step in reversed(path):
        fields = {f"f:{step}": fields}
    return fields


def union(sets: Iterable[Fields]) -> Fields:
    """Return the fields that are in any of the sets."""
    merged: Fields = {}
    for fields in sets:
        merged = _both(merged, fields) if merged and fields else merged or fields
    return merged


def _both(left: Fields, right: Fields) -> Fields:
    steps = (left.keys() | right.keys()) - {SELF}
    merged = {
        step: _both(left[step], right[step])
        if step in left and step in right
        else left.get(step, right.get(step))
        for step in steps
    }
    if merged and (_is_member(left) or _is_member(right)):
        merged[SELF] = {}
    return merged


def minus(fields: Fields, other: Fields) -> Fields:
    """Return the fields of the first set that are not in the second; empty where all of them are."""
    return _rest(fields, other) or {} if fields and other else fields


def _rest(fields: Fields, other: Fields) -> Fields | None:
    """Return what is left of a step, None where nothing is."""
    left: Fields = {}
    for step, below in fields.items():
        if step == SELF:
            continue
        rest = _rest(below, other[step]) if step in other else below
        if rest is not None:
            left[step] = rest
    if _is_member(fields) and not _is_member(other):
        return {**left, SELF: {}} if left else {}
    return left or None


def _is_member(fields: Fields) -> bool:
    return not fields or SELF in fields


def without(value: Any, fields: Fields, kept: Fields) -> Any:
    """Return a copy of a value without the fields of a set, as an apply removes them. kept: what somebody else owns stays."""
    if isinstance(value, dict):
        owned, others = managed_fields.members(fields), managed_fields.members(kept)
        left = {}
        for name, inner in value.items():
            if name not in owned:
                left[name] = inner
            elif name in others or not _is_member(owned[name]):
                left[name] = without(inner, owned[name], others.get(name, {}))
        return left
    if isinstance(value, list):
        return _list_without(value, fields, kept)
    return value


def _list_without(value: list[Any], fields: Fields, kept: Fields) -> list[Any]:
    if managed_fields.is_set(fields):
        gone, others = managed_fields.set_items(fields), managed_fields.set_items(kept)
        return [item for item in value if item not in gone or item in others]
    left = []
    for item in value:
        below, stays = _of_item(fields, item), _of_item(kept, item)
        if below is None:
            left.append(item)
        elif stays is not None or not _is_member(below):
            left.append(without(item, below, stays or {}))
    return left


def _of_item(fields: Fields, item: Any) -> Fields | None:
    """Return what a set holds of an item of a keyed list, None where it holds nothing."""
    return next(
        (below for key, below in managed_fields.items(fields) if managed_fields.matches(key, item)),
        None,
    )
