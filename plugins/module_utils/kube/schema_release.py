# SPDX-License-Identifier: GPL-3.0-or-later
"""A schema as one release has it: without the fields that came later or are gone, which messages name with their release."""

from __future__ import annotations

from dataclasses import replace

from .release import ControllerRelease
from .schema import ListOf, MapOf, Object, Schema


def at_release(schema: Object, release: ControllerRelease, newest: ControllerRelease) -> Object:
    """Return the schema of a release. newest: up to which releases are reproduced, so that users are sent to no other."""
    found = _Reduction(release, newest).of(schema)
    return found if isinstance(found, Object) else schema


class _Reduction:
    """One pass over a schema. A part that occurs in several places, as pods do, is looked at once."""

    def __init__(self, release: ControllerRelease, newest: ControllerRelease) -> None:
        self._release = release
        self._newest = newest
        self._seen: dict[int, Schema] = {}

    def of(self, schema: Schema) -> Schema:
        """Return a part as the release has it; the part itself where nothing in it differs."""
        if id(schema) not in self._seen:
            self._seen[id(schema)] = self._reduced(schema)
        return self._seen[id(schema)]

    def _reduced(self, schema: Schema) -> Schema:
        match schema:
            case Object():
                return self._object(schema)
            case ListOf():
                items = self.of(schema.items)
                return schema if items is schema.items else replace(schema, items=items)
            case MapOf():
                values = self.of(schema.values)
                return schema if values is schema.values else replace(schema, values=values)
            case _:
                return schema

    def _object(self, schema: Object) -> Schema:
        told = {name: self._absence(field) for name, field in schema.fields.items()}
        fields = {name: self.of(field) for name, field in schema.fields.items() if not told[name]}
        if all(fields.get(name) is field for name, field in schema.fields.items()):
            return schema
        hints = {name: text for name, text in told.items() if text}
        return replace(schema, fields=fields, hints={**schema.hints, **hints})

    def _absence(self, field: Schema) -> str:
        """Return why the release has no such field, empty where it has."""
        release = self._release
        if field.since is not None and release < field.since:
            if field.since > self._newest:
                return f"{release.product} {field.since} knows it, and this collection does not yet"
            return f"{release.product} {field.since} knows it, and {release} would drop it; {release.option} chooses another release"
        if field.until is not None and release >= field.until:
            return f"{release.product} {field.until} no longer has it, and {release} would drop it; {release.option} chooses another release"
        return ""
