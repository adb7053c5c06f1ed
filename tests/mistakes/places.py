# SPDX-License-Identifier: GPL-3.0-or-later
"""Where something is in a service: every field with its schema, and documents with one thing changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from module_utils.kube.schema import ListOf, MapOf, Object, Schema
from module_utils.kube.schema_check import child_path

Json = dict[str, Any]
Steps = tuple[Any, ...]


@dataclass(frozen=True)
class Place:
    """A value in a document. schema: None where no table describes it. parent: the schema of what holds it."""

    steps: Steps
    path: str
    value: Any
    schema: Schema | None
    parent: Schema | None

    @property
    def key(self) -> Any:
        """The field's own name, or the position in a list."""
        return self.steps[-1]


@dataclass(frozen=True)
class Spoilt:
    """A document with a mistake. fields: where it may be told."""

    document: Any
    fields: tuple[str, ...]


def places(document: Json, schema: Object) -> Iterator[Place]:
    """Yield every value below `spec`, holders before what they hold."""
    spec = document.get("spec")
    if isinstance(spec, Mapping):
        yield Place(("spec",), "spec", spec, schema, None)
        yield from _below(spec, schema, ("spec",), "spec")


def _below(value: Any, schema: Schema | None, steps: Steps, path: str) -> Iterator[Place]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(schema, Object):
                found, where = schema.fields.get(key), f"{path}.{key}"
            else:
                found = schema.values if isinstance(schema, MapOf) else None
                where = child_path(path, str(key))
            yield Place((*steps, key), where, inner, found, schema)
            yield from _below(inner, found, (*steps, key), where)
    elif isinstance(value, list):
        items = schema.items if isinstance(schema, ListOf) else None
        for number, inner in enumerate(value):
            where = f"{path}[{number}]"
            yield Place((*steps, number), where, inner, items, schema)
            yield from _below(inner, items, (*steps, number), where)


def at(document: Any, steps: Steps) -> Any:
    """Return the value at a place."""
    for step in steps:
        document = document[step]
    return document


def edited(document: Json, steps: Steps, edit: Callable[[Any, Any], None]) -> Json:
    """Return a copy in which what holds a place was edited. edit: gets the holder and the last step."""
    copy = deepcopy(document)
    edit(at(copy, steps[:-1]), steps[-1])
    return copy


def put(document: Json, steps: Steps, value: Any) -> Json:
    """Return a copy with another value at a place, which may be new."""

    def write(holder: Any, key: Any) -> None:
        holder[key] = value

    return edited(document, steps, write)


def dropped(document: Json, steps: Steps) -> Json:
    """Return a copy without what is at a place."""

    def drop(holder: Any, key: Any) -> None:
        del holder[key]

    return edited(document, steps, drop)


def renamed(document: Json, steps: Steps, name: str) -> Json:
    """Return a copy in which a field has another name, at the same place."""
    copy = deepcopy(document)
    holder = at(copy, steps[:-1])
    items = [(name if key == steps[-1] else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(items)
    return copy
