# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom resources as server-side apply takes them: no map of known fields is empty.

Server-side apply turns a map that loses its last field of ours into null, and the schema refuses null: `decode: {replicas: 3}`
could never become `decode: {}` again (Kubernetes 1.36).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .schema import ListOf, Object, Schema, default_of


def normalised(schema: Schema | None, value: Any) -> Any:
    """Return a value in which an empty map of known fields holds something that means the same, or is left out.

    An empty list does where the map has a list that is owned as a whole, since it claims nothing; else the defaults of its
    fields. What has neither, and any other empty list, is left out.
    """
    if not isinstance(schema, Object) or not isinstance(value, Mapping):
        return value
    kept = {}
    for name, inner in value.items():
        told = normalised(schema.fields.get(name), inner)
        if told not in ({}, []) or name in schema.required:
            kept[name] = told
    return kept or _empty_list(schema) or _defaults(schema)


def _empty_list(schema: Object) -> dict[str, Any]:
    for name, inner in schema.fields.items():
        if isinstance(inner, ListOf) and not inner.keys:
            return {name: []}
    return {}


def _defaults(schema: Object) -> dict[str, Any]:
    found = {name: default_of(inner) for name, inner in schema.fields.items()}
    return {name: value for name, value in found.items() if value not in (None, "")}
