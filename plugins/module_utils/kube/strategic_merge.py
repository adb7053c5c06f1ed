# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes' strategic merge: maps are merged key by key, some lists item by item, all other lists are replaced.

No directives (`$patch` and the like): what is merged here is one object over another, not a patch that somebody wrote.
Source: k8s.io/apimachinery v0.36.3 (pkg/util/strategicpatch).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .manifest import Json


class MergeError(Exception):
    """Two objects cannot be merged, in the words of Kubernetes."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the fields of an object are merged; a field that is not named is a map, a value or a list that is replaced.

    keyed: lists that are merged item by item → the field by which items are known, and the shape of an item.
    inner: objects that have a shape of their own.
    raw: the Go type where the object is raw JSON: Kubernetes cannot merge two of those below their first level.
    """

    keyed: Mapping[str, tuple[str, Shape]] = field(default_factory=dict)
    inner: Mapping[str, Shape] = field(default_factory=dict)
    raw: str = ""


PLAIN = Shape()


def merge(base: Json, over: Json, shape: Shape = PLAIN) -> Json:
    """Return the base with the fields of `over`; a null takes the field away. Both stay as they are, parts are shared.

    Raises MergeError.
    """
    merged = dict(base)
    for name, value in over.items():
        if value is None:
            merged.pop(name, None)
        elif name not in base:
            merged[name] = _without_nulls(value)
        else:
            merged[name] = _merged(name, base[name], value, shape)
    return merged


def _merged(name: str, base: Any, over: Any, shape: Shape) -> Any:
    both_maps = isinstance(base, dict) and isinstance(over, dict)
    both_lists = isinstance(base, list) and isinstance(over, list)
    if shape.raw and (both_maps or both_lists):
        raise MergeError(
            f'unable to find api field in struct {shape.raw} for the json field "{name}"'
        )
    if both_maps:
        return merge(base, over, shape.inner.get(name, PLAIN))
    if both_lists and name in shape.keyed:
        key, item = shape.keyed[name]
        return _merged_list(base, over, key, item)
    return over


def _merged_list(base: list[Json], over: list[Json], key: str, shape: Shape) -> list[Json]:
    _check_keys([*base, *over], key)
    places = _first_places(base, key)
    merged = list(base)
    for item in over:
        place = places.get(item[key])
        if place is None:
            places[item[key]] = len(merged)
            merged.append(_without_nulls(item))
        else:
            merged[place] = merge(merged[place], item, shape)
    return _in_order(merged, base, over, key)


def _in_order(merged: list[Json], base: list[Json], over: list[Json], key: str) -> list[Json]:
    """Put the items of `over` in their order, and those of the base alone before the first that follows them in the base."""
    wanted, known = _first_places(over, key), _first_places(base, key)
    alone = [item for item in merged if item[key] not in wanted]
    ours = sorted(
        (item for item in merged if item[key] in wanted), key=lambda item: wanted[item[key]]
    )
    ordered: list[Json] = []
    while alone and ours:
        place = known.get(ours[0][key])
        if place is not None and known[alone[0][key]] < place:
            ordered.append(alone.pop(0))
        else:
            ordered.append(ours.pop(0))
    return [*ordered, *alone, *ours]


def _first_places(items: list[Json], key: str) -> dict[Any, int]:
    places: dict[Any, int] = {}
    for place, item in enumerate(items):
        places.setdefault(item[key], place)
    return places


def _check_keys(items: list[Json], key: str) -> None:
    for item in items:
        if item.get(key) is None:
            raise MergeError(f"a list item does not contain declared merge key: {key}")


def _without_nulls(value: Any) -> Any:
    """Return a new part without nulls in its maps, also in those that are in lists."""
    if isinstance(value, dict):
        return {
            name: _without_nulls(inner) if isinstance(inner, dict | list) else inner
            for name, inner in value.items()
            if inner is not None
        }
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value
