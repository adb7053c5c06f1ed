# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas written as a table: one type a line, its fields in their order.

    Probe  exec:ExecAction periodSeconds:int32
    HTTPGetAction  port!:int-or-text host httpHeaders:HTTPHeader[]
    ConfigMapKeySelector atomic  key! name= optional:bool

A field is a text unless a type follows. `!`: it is required. `=`: its default. `Type[]` is a list, `Type[name]` one whose items are told apart
by these fields, `Type-set` one in which none stands twice, `map` a map of texts, `quantities` one of amounts. `atomic` behind a name:
written and owned as a whole.
A line that begins with a blank goes on with the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .schema import Boolean, Integer, IntOrText, ListOf, MapOf, Object, QuantityValue, Schema, Text

_FIELD = re.compile(
    r"(?P<name>\w+)(?P<required>!?)(?::(?P<type>[\w-]+)(?P<list>\[(?P<keys>[\w,]*)\])?)?(?:=(?P<default>\S*))?"
)
_PLAIN: Mapping[str, Schema] = {
    "text": Text(),
    "bool": Boolean(),
    "int32": Integer(),
    "int64": Integer(bits=64),
    "int-or-text": IntOrText(),
    "quantity": QuantityValue(),
    "map": MapOf(values=Text()),
    "map-atomic": MapOf(values=Text(), atomic=True),
    "quantities": MapOf(values=QuantityValue()),
}
#: Messages call an item by this field, where it tells the items apart.
_TITLE = "name"
_SET = "-set"


def read_table(table: str, others: Mapping[str, Schema]) -> dict[str, Object]:
    """Return the types of a table by name. others: types that it refers to and that stand elsewhere."""
    lines = dict(_lines(table))
    types: dict[str, Schema] = {**_PLAIN, **others}

    def of(name: str) -> Schema:
        if name not in types:
            types[name] = _object(*lines[name])
        return types[name]

    def _object(fields: str, atomic: bool) -> Object:
        found = [match.groupdict() for match in map(_FIELD.fullmatch, fields.split()) if match]
        return Object(
            fields={each["name"]: _field(each) for each in found},
            required=tuple(sorted(each["name"] for each in found if each["required"])),
            atomic=atomic,
        )

    def _field(each: Mapping[str, str | None]) -> Schema:
        name, default = each["type"] or "text", each["default"]
        if each["list"] is not None:
            keys = tuple(filter(None, (each["keys"] or "").split(",")))
            return ListOf(items=of(name), keys=keys, title=_TITLE if keys == (_TITLE,) else "")
        if name.endswith(_SET):
            return ListOf(items=of(name.removesuffix(_SET)), unique=True)
        if default is None:
            return of(name)
        return Boolean(default=default == "true") if name == "bool" else Text(default=default)

    return {name: made for name in lines if isinstance(made := of(name), Object)}


def _lines(table: str) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Yield the types' names with their fields, and whether they are atomic."""
    for line in table.strip().replace("\n ", " ").splitlines():
        head, dummy, fields = line.partition("  ")
        name, dummy, atomic = head.partition(" ")
        yield name, (fields, bool(atomic))
