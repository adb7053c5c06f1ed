# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom resources as server-side apply takes them: no map of known fields is empty, no list either.

Server-side apply turns a map that loses its last field of ours into null, and the schema refuses null: `decode: {replicas: 3}`
could never become `decode: {}` again (Kubernetes 1.36).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .schema import Object, Schema, default_of


def spelt_out(schema: Schema | None, value: Any) -> Any:
    """Return a value in which an empty map holds the defaults of its fields; one that has none, and an empty list, is left out.

    Both mean the same to the API server, which fills in the same defaults.
    """
    if not isinstance(schema, Object) or not isinstance(value, Mapping):
        return value
    kept = {}
    for name, inner in value.items():
        told = spelt_out(schema.fields.get(name), inner)
        if told not in ({}, []) or name in schema.required:
            kept[name] = told
    return kept or _defaults(schema)


def _defaults(schema: Object) -> dict[str, Any]:
    found = {name: default_of(inner) for name, inner in schema.fields.items()}
    return {name: value for name, value in found.items() if value not in (None, "")}
