# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of a custom resource as Python data: one source for checks, defaults, the CRD and the documentation.

A node says what a value may be and what it is for. `check` (schema_check.py) reads a value by it, `openapi` (openapi.py)
turns it into the structural schema of a CustomResourceDefinition, `rows` lists it for a documentation table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .manifest import copied
from .release import ControllerRelease

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1

#: What the API server accepts as a quantity, for example `1.5`, `500m`, `16Gi`, `1e3`.
QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """What the fields of one value have to be together, once each of them is right by itself.

    broken: tells whether a value, with its defaults, breaks the rule.
    """

    name: str
    message: str
    broken: Callable[[Any], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """What every node has. since: the release that brought the field. until: the release that no longer has it."""

    description: str = ""
    since: ControllerRelease | None = None
    until: ControllerRelease | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Field):
    """A string.

    keep_empty: an empty text says something; elsewhere it counts as absent, as it does on creation with the operator.
    blank_is_absent: an empty text counts as absent wherever it is, whatever the other rules ask for.
    sensitive: the value may be a secret, so messages do not show it.
    form: says what keeps a text from having the form of the field, None for a right one.
    """

    default: str | None = None
    enum: tuple[str, ...] = ()
    min_length: int = 0
    max_length: int | None = None
    pattern: str = ""
    format: str = ""
    keep_empty: bool = False
    blank_is_absent: bool = False
    sensitive: bool = False
    form: Callable[[str], str | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer(_Field):
    """A whole number that fits 32 or 64 bits."""

    default: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    bits: int = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Boolean(_Field):
    """True or false; absent is a third state where there is no default."""

    default: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantityValue(_Field):
    """An amount of a resource, as text or as a whole number.

    as_written: it is kept as text of the author's, not in canonical form. fractions: a number with a fraction is one, too.
    positive: it is more than nothing; not_negative: it may be nothing.
    """

    as_written: bool = False
    fractions: bool = False
    positive: bool = False
    not_negative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntOrText(_Field):
    """A whole number or a string, such as the number or the name of a port. form: as in `Text`, for both."""

    form: Callable[[int | str], str | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anything(_Field):
    """A value that is kept as it is. type: `object` where it has to be a map."""

    type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOf(_Field):
    """A map with free keys, at least and at most so many. atomic: as in `Object`."""

    values: Schema
    min_items: int = 0
    max_items: int | None = None
    atomic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf(_Field):
    """A list.

    keys: fields that tell the items apart (`x-kubernetes-list-type: map`), so that duplicates are refused.
    title: a field of the items by which messages call an item, beside its number.
    unique: no item may be listed twice (`x-kubernetes-list-type: set`).
    """

    items: Schema
    keys: tuple[str, ...] = ()
    title: str = ""
    unique: bool = False
    min_items: int = 0
    max_items: int | None = None
    default: tuple[Any, ...] | None = None
    rules: tuple[FieldRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Object(_Field):
    """A map with known fields.

    atomic: written and owned as a whole (`x-kubernetes-map-type: atomic`).
    hints: what to say about a field that is unknown here but often tried.
    """

    fields: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    atomic: bool = False
    hints: Mapping[str, str] = field(default_factory=dict)
    default: Mapping[str, Any] | None = None
    rules: tuple[FieldRule, ...] = ()


Schema: TypeAlias = (
    "Text | Integer | Boolean | QuantityValue | IntOrText | Anything | MapOf | ListOf | Object"
)


def custom_resource(
    description: str,
    api_version: str,
    kind: str,
    spec: Schema,
    status: Schema | None = None,
    required: tuple[str, ...] = (),
) -> Object:
    """Return the schema of a whole custom resource, as its CRD shows it. status: None where it has none."""
    parts: dict[str, Schema] = {
        "apiVersion": Text(description=f"`{api_version}`."),
        "kind": Text(description=f"`{kind}`."),
        "metadata": Object(fields={}),
        "spec": spec,
    }
    if status is not None:
        parts["status"] = status
    return Object(description=description, fields=parts, required=required)


def default_of(schema: Schema) -> Any:
    """Return the value that an absent field takes, or None. It may be changed by whoever gets it."""
    default = getattr(schema, "default", None)
    if isinstance(schema, ListOf):
        return None if default is None else copied(list(default))
    return copied(dict(default)) if isinstance(default, Mapping) else default


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a documentation table."""

    path: str
    schema: Schema
    required: bool


def rows(schema: Object, path: str) -> Iterator[Row]:
    """Yield every field below an object in the order of the schema, lists and maps included."""
    for name, child in schema.fields.items():
        where = f"{path}.{name}" if path else name
        yield Row(where, child, name in schema.required)
        yield from _below(child, where)


def _below(schema: Schema, path: str) -> Iterator[Row]:
    if isinstance(schema, Object):
        yield from rows(schema, path)
    elif isinstance(schema, ListOf) and isinstance(schema.items, Object):
        yield from rows(schema.items, f"{path}[]")


def type_name(schema: Schema) -> str:
    """Return the type of a field as the documentation table writes it."""
    match schema:
        case Object():
            return "object"
        case ListOf():
            return f"list of {type_name(schema.items)}"
        case MapOf():
            return f"map of {type_name(schema.values)}"
        case Integer():
            return f"int{schema.bits}"
        case Boolean():
            return "boolean"
        case QuantityValue():
            return "quantity"
        case IntOrText():
            return "integer or text"
        case Anything():
            return schema.type or "any"
        case Text():
            return "text"
