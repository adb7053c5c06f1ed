# SPDX-License-Identifier: GPL-3.0-or-later
"""What was most likely meant by a field that its place does not have: one spelt alike, or the same one elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .did_you_mean import nearest
from .schema import (
    Anything,
    Boolean,
    Integer,
    IntOrText,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
    rows,
)

#: A claim for a volume inside of a pod.
_CLAIM = "volumeClaimTemplate"
#: What an object may be called.
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
#: How many places of a field a message names.
_SHOWN = 2
#: Fields of Helm charts that switch a part on.
_SWITCHES = ("enabled", "enable", "create")
#: What people add to the name of a field that says a size.
_ENDINGS = ("parallelsize", "parallelism", "parallel", "size", "count")


def fits(schema: Schema, value: Any) -> bool:
    """Tell whether a value is of the type that a field has; nothing fits everywhere."""
    match schema:
        case _ if value is None or isinstance(schema, Anything):
            return True
        case Object() | MapOf():
            return isinstance(value, Mapping)
        case ListOf():
            return isinstance(value, list | tuple)
        case Boolean():
            return isinstance(value, bool) or value in ("true", "false")
        case Integer():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number or (isinstance(value, str) and value.isdecimal())
        case Text() | QuantityValue() | IntOrText():
            return isinstance(value, str | int | float) and not isinstance(value, bool)
    return False


def is_name_of(schema: Object, value: Any) -> bool:
    """Tell whether a text can be the name of an object that needs nothing but a name."""
    alone = "name" in schema.fields and {*schema.required} <= {"name"}
    return alone and isinstance(value, str) and _NAME.fullmatch(value) is not None


def meant(schema: Object, key: str, value: Any) -> str | None:
    """Return the field that is spelt almost like an unknown one and takes such a value, None where there is none."""
    known = [name for name, field in schema.fields.items() if fits(field, value)]
    bare = key.casefold().replace("_", "").replace("-", "")
    stems = {bare.removesuffix(ending) for ending in _ENDINGS if bare.endswith(ending)}
    return nearest(key, known) or next((name for name in known if name.casefold() in stems), None)


def unknown_field(
    schema: Object, key: str, value: Any, places: Sequence[str], holder: str = ""
) -> str:
    """Say what is wrong with a field that its place does not have.

    places: those that have such a field, the nearest first. holder: path of what holds it.
    """
    if key in schema.hints:
        return f"unknown field; {schema.hints[key]}"
    near = meant(schema, key, value)
    if near:
        return f'unknown field, did you mean "{near}"?'
    if _is_wrapped(schema, value):
        return f"unknown field; leave {key} out, and write what is in it one level higher"
    inside = any(place.startswith(f"{holder}.") for place in places)
    if key in _SWITCHES and "." in holder and not inside and fits(Boolean(), value):
        return f"unknown field; leave {key} out: what is there is switched on, and what is left out is not"
    # A claim for one volume has metadata and a status, too, and nobody means those.
    places = [place for place in places if _CLAIM not in place]
    if places:
        return f"unknown field; it belongs in {' or '.join(places[:_SHOWN])}"
    return f"unknown field; known here: {', '.join(schema.fields) or 'none'}"


def _is_wrapped(schema: Object, value: Any) -> bool:
    """Tell whether a value holds nothing but fields that its holder has, perhaps a level further down: as `spec` of a Deployment's pods does."""
    if not isinstance(value, Mapping) or not value:
        return False
    return all(
        (name in schema.fields and fits(schema.fields[name], inner)) or _is_wrapped(schema, inner)
        for name, inner in value.items()
    )


def places_of(
    key: str, value: Any, path: str, root: Object, root_path: str, document: Any
) -> list[str]:
    """Return where a document has a place for a field, the nearest to a path first.

    root, root_path, document: schema, path and value of the whole. Of parts that the document does not have, the nearest are named
    where it has no other place.
    """
    found = [
        row.path
        for row in rows(root, root_path)
        if row.path.endswith(f".{key}") and fits(row.schema, value)
    ]
    steps = path.split(".")
    far = {place: _distance(place.split(".")[:-1], steps) for place in found}
    found.sort(key=far.__getitem__)
    there = [place for place in found if _has(document, place, root_path)]
    return there or [place for place in found if far[place] == far[found[0]]]


def _distance(place: Sequence[str], steps: Sequence[str]) -> int:
    """Return how many steps lead from one holder of fields to another."""
    bare = [step.partition("[")[0] for step in steps]
    other = [step.partition("[")[0] for step in place]
    shared = 0
    for one, two in zip(bare, other, strict=False):
        if one != two:
            break
        shared += 1
    return len(bare) + len(other) - 2 * shared


def _has(document: Any, place: str, root_path: str) -> bool:
    """Tell whether a document has what would hold a field."""
    below = place.removeprefix(root_path).strip(".").split(".")[:-1]
    return any(True for dummy in _holders(document, below))


def _holders(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    inner = value.get(steps[0].removesuffix("[]")) if isinstance(value, Mapping) else None
    if steps[0].endswith("[]"):
        for item in inner if isinstance(inner, list) else ():
            yield from _holders(item, steps[1:])
    elif inner is not None:
        yield from _holders(inner, steps[1:])
