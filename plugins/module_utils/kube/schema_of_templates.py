# SPDX-License-Identifier: GPL-3.0-or-later
"""A schema of objects whose texts may be templates: what a text looks like, and whether there is one, shows when they are filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .schema import ListOf, MapOf, Object, Schema, Text


def open_at(schema: Object, *paths: Sequence[str]) -> Object:
    """Return a schema in which texts below some fields may be templates. A field that is not there stays away."""
    for path in paths:
        schema = _opened(schema, path)
    return schema


def _opened(schema: Object, path: Sequence[str]) -> Object:
    field, *rest = path
    found = schema.fields.get(field)
    if found is None:
        return schema
    if rest:
        inner: Schema = _opened(found, rest) if isinstance(found, Object) else found
    else:
        inner = _of_templates(found)
    return replace(schema, fields={**schema.fields, field: inner})


def _of_templates(schema: Schema) -> Schema:
    match schema:
        case Text():
            return replace(schema, pattern="", form=None, min_length=0)
        case ListOf():
            items = _of_templates(schema.items)
            return replace(schema, items=items, min_items=0, rules=())
        case MapOf():
            return replace(schema, values=_of_templates(schema.values), min_items=0)
        case Object():
            fields = {name: _of_templates(field) for name, field in schema.fields.items()}
            return replace(schema, fields=fields, rules=())
        case _:
            return schema
