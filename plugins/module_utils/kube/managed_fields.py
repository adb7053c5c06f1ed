# SPDX-License-Identifier: GPL-3.0-or-later
"""What `metadata.managedFields` says: which fields a manager owns, without any schema.

The grammar is FieldsV1: `f:name` is a field, `k:{json}` an item of a keyed list, `v:value` an item of a set, `.` the thing
itself. An empty map is a leaf, or a whole subtree that is owned as one value (atomic).
Source: Kubernetes server-side apply; docs/decisions.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from .manifest import FieldPath, Json

#: Fields of a manifest that the server never records as owned.
UNTRACKED = {"": ("apiVersion", "kind"), "metadata": ("name", "namespace")}

Fields = dict[str, Any]

#: Lists whose items are owned one by one.
_KEYED = ("map", "set")


def apply_entry(live: Json, manager: str, subresource: str = "") -> Json | None:
    """Return the entry of a manager's server-side applies, or None where it never applied this object."""
    for entry in live["metadata"].get("managedFields") or []:
        if (
            entry.get("manager") == manager
            and entry.get("operation") == "Apply"
            and (entry.get("subresource") or "") == subresource
        ):
            return dict(entry)
    return None


def entry(manager: str, operation: str, api_version: str, fields: Fields) -> Json:
    """Return an entry as it is in `managedFields`; the server adds the time with the next write."""
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def tracked(manifest: Json) -> Json:
    """Return the part of a manifest whose fields the server records."""
    body = {key: value for key, value in manifest.items() if key not in UNTRACKED[""]}
    metadata = {
        key: value
        for key, value in manifest["metadata"].items()
        if key not in UNTRACKED["metadata"]
    }
    body.pop("metadata")
    return {"metadata": metadata, **body} if metadata else body


def owns(fields: Fields, path: FieldPath) -> bool:
    """Tell whether the fields cover a field that no list is above."""
    below = fields
    for step in path:
        if f"f:{step}" not in below:
            return False
        below = below[f"f:{step}"]
    return True


def without(fields: Fields, paths: Iterable[FieldPath]) -> Fields:
    """Return the fields without some that no list is above; what owns nothing else goes with them."""
    rest = fields
    for path in paths:
        if owns(rest, path):
            rest = _without(rest, path)
    return rest


def _without(fields: Fields, path: FieldPath) -> Fields:
    step = f"f:{path[0]}"
    below = _without(fields[step], path[1:]) if len(path) > 1 else {}
    rest = {name: inner for name, inner in fields.items() if name != step}
    return {**rest, step: below} if below else rest


def is_keyed(fields: Fields) -> bool:
    """Tell whether fields describe the items of a keyed list."""
    return any(step.startswith("k:") for step in fields)


def is_set(fields: Fields) -> bool:
    """Tell whether fields describe the items of a set."""
    return any(step.startswith("v:") for step in fields)


def members(fields: Fields) -> dict[str, Fields]:
    """Return the field names and what is owned below each."""
    return {step[2:]: below for step, below in fields.items() if step.startswith("f:")}


def items(fields: Fields) -> list[tuple[Json, Fields]]:
    """Return the keys of a keyed list's items and what is owned below each. The keys are shared: not to be changed."""
    return [(_parsed(step), below) for step, below in fields.items() if step.startswith("k:")]


def set_items(fields: Fields) -> list[Any]:
    """Return the items of a set."""
    return [_parsed(step) for step in fields if step.startswith("v:")]


@lru_cache(maxsize=4096)
def _parsed(step: str) -> Any:
    """Return the value that is in a step; most steps are the same in many objects."""
    return json.loads(step[2:])


def matches(key: Json, item: Any, *, defaulted: bool = False) -> bool:
    """Tell whether a list item has this key. defaulted: a key field that the item leaves out may come from the server."""
    if not isinstance(item, dict):
        return False
    return all(item[name] == value if name in item else defaulted for name, value in key.items())


def project(value: Any, fields: Fields) -> Any:
    """Return the part of an object that the fields cover; what is owned but not there is left out."""
    if not fields or fields == {".": {}}:
        return value
    if isinstance(value, dict):
        return {
            name: project(value[name], below)
            for name, below in members(fields).items()
            if name in value
        }
    if isinstance(value, list) and is_keyed(fields):
        owned = items(fields)
        return [
            project(item, below) | {name: item[name] for name in key if name in item}
            for item in value
            for key, below in owned
            if matches(key, item)
        ]
    if isinstance(value, list) and is_set(fields):
        members_of_set = set_items(fields)
        return [item for item in value if item in members_of_set]
    return value


def leaves(fields: Fields, path: str = "") -> Iterator[str]:
    """Yield each owned leaf as a dotted path, list items as `name[key=value]`."""
    below = {step: inner for step, inner in fields.items() if step != "."}
    if not below:
        yield path
    for step, inner in below.items():
        kind, _colon, text = step.partition(":")
        if kind == "f":
            yield from leaves(inner, f"{path}.{text}" if path else text)
        elif kind == "k":
            key = ",".join(f"{name}={value}" for name, value in json.loads(text).items())
            yield from leaves(inner, f"{path}[{key}]")
        else:
            yield f"{path}[{text}]"


def authored(value: Any, fields: Fields, schema: Json) -> Any:
    """Return what a manager sent, from the live value and the fields it owns; defaults that the server added are left out.

    An owned map without owned fields was sent empty, unless the schema says that the map is one value (atomic). A list of keyed items
    that is empty leaves no mark, nor does a map of such lists alone: they are taken for sent.
    schema: the OpenAPI schema of the value, as in a CRD.
    """
    below = {step: inner for step, inner in fields.items() if step != "."}
    properties = schema.get("properties") or {}
    if not below and (
        not isinstance(value, dict) or schema.get("x-kubernetes-map-type") == "atomic"
    ):
        return value
    if isinstance(value, dict):
        rest = schema.get("additionalProperties")
        other = rest if isinstance(rest, dict) else {}
        unmarked = {
            name: each
            for name, each in value.items()
            if _leaves_no_mark(each, properties.get(name) or {})
        }
        return unmarked | {
            name: authored(value[name], inner, properties.get(name, other))
            for name, inner in members(below).items()
            if name in value
        }
    if isinstance(value, list) and is_keyed(below):
        owned = items(below)
        return [
            authored(item, inner, schema.get("items") or {})
            for item in value
            for key, inner in owned
            if matches(key, item)
        ]
    return project(value, below)


def _leaves_no_mark(value: Any, schema: Json) -> bool:
    if value == []:
        return schema.get("x-kubernetes-list-type") in _KEYED
    properties = schema.get("properties") or {}
    return (
        isinstance(value, dict)
        and bool(value)
        and all(_leaves_no_mark(each, properties.get(name) or {}) for name, each in value.items())
    )
