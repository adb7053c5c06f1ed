# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as Go's templates see them: typed structs, pointers that may be nil, maps, lists and plain values.

Why types matter: a field that is not there is an error, one that is not set is nil or zero, and a comparison takes no pointers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Plain:
    """A text, number or boolean. zero: what it is where it is not set. name: as Go prints it."""

    name: str
    zero: str | int | bool


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map of texts to values of one type."""

    values: GoType
    name: str = "map[string]string"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one type."""

    items: GoType
    name: str = "[]"


@dataclass(frozen=True, slots=True)
class PointerTo:
    """A pointer. It is nil where the value is not set."""

    target: GoType

    @property
    def name(self) -> str:
        """The type as Go prints it."""
        return f"*{self.target.name}"


@dataclass(frozen=True, slots=True)
class StructOf:
    """A struct. fields: Go's name → name in JSON and type. text: the field that is printed for the whole, if one is.

    known: False where we do not list the fields; they are then found by their names, and an unknown one counts as nil.
    """

    name: str
    fields: Mapping[str, tuple[str, GoType]] = field(default_factory=dict)
    known: bool = True
    text: str = ""


GoType: TypeAlias = "Plain | MapOf | ListOf | PointerTo | StructOf"


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer value. target: None where it is nil."""

    type: PointerTo
    target: Any


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct value: its data as JSON."""

    type: StructOf
    data: Mapping[str, Any]


STRING, INT, BOOL = Plain("string", ""), Plain("int32", 0), Plain("bool", False)
STRINGS = MapOf(STRING)
#: Part of a resource whose fields are not listed here, for example a pod's spec.
OPEN = StructOf("struct", known=False)


def typed(kind: GoType, raw: Any) -> Any:
    """Return JSON as a value of a type; None is a value that is not set."""
    match kind:
        case Plain():
            return kind.zero if raw is None else raw
        case PointerTo():
            return Pointer(kind, None if raw is None else typed(kind.target, raw))
        case StructOf():
            return Struct(kind, raw if raw is not None else {})
        case ListOf():
            return [typed(kind.items, item) for item in raw or ()]
        case MapOf():
            return {key: typed(kind.values, value) for key, value in (raw or {}).items()}


def open_value(raw: Any) -> Any:
    """Return JSON of which we know no type: maps as structs with open fields."""
    if isinstance(raw, dict):
        return Struct(OPEN, raw)
    if isinstance(raw, list):
        return [open_value(item) for item in raw]
    return Pointer(PointerTo(OPEN), None) if raw is None else raw


def pointed(value: Any) -> Any:
    """Return what pointers point to; None where one is nil."""
    while isinstance(value, Pointer):
        value = value.target
    return value


def truth(value: Any) -> bool:
    """Tell whether a value counts as true: pointers that are not nil and all structs do, zero and what is empty does not."""
    if isinstance(value, Pointer):
        return value.target is not None
    return True if isinstance(value, Struct) else bool(value)
