# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas written as a table: one type a line, its fields in their order.

    Probe  exec:ExecAction periodSeconds:int32
    HTTPGetAction  port!:int-or-text host httpHeaders:HTTPHeader[]
    ConfigMapKeySelector atomic  key! name= optional:bool

A field is a text unless a type follows. `!`: it is required. `=`: its default. `Type[]` is a list, `Type[name]` one whose items are told apart
by these fields, `Type-set` one in which none is listed twice, `map` a map of texts, `quantities` one of amounts. `atomic` behind a name:
written and owned as a whole.
A line that begins with a blank continues with the one before.

A second table may say what the values have to be, one field a line:

    Probe.periodSeconds  0..
    HTTPGetAction.scheme  ?HTTP|HTTPS
    PodSpec.nodeName  ?@name
    PodSpec.volumes  1..

`!`: it is required. `A|B`: one of these. `0..511`: a number in this range, or a list of so many items. `+`: not empty. `@form`: of this form.
`?` in front: an empty text is none. `[]` behind the field: each item of the list. `positive`, `not-negative`: an amount that is more than
nothing, or at least nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

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


def read_table(
    table: str,
    others: Mapping[str, Schema],
    limits: str = "",
    forms: Mapping[str, Callable[[Any], str | None]] | None = None,
) -> dict[str, Object]:
    """Return the types of a table by name. others: types that it refers to and that are elsewhere.

    limits: the table of what values have to be. forms: what it names.
    """
    lines = dict(_lines(table))
    types: dict[str, Schema] = {**_PLAIN, **others}
    limited = _limits(limits)

    def of(name: str) -> Schema:
        if name not in types:
            types[name] = _object(name, *lines[name])
        return types[name]

    def _object(owner: str, fields: str, atomic: bool) -> Object:
        found = [match.groupdict() for match in map(_FIELD.fullmatch, fields.split()) if match]
        limit = limited.get(owner, {})
        return Object(
            fields={each["name"]: _limited(each, limit) for each in found},
            required=tuple(
                sorted(
                    str(each["name"])
                    for each in found
                    if each["required"] or "!" in limit.get(str(each["name"]), ())
                )
            ),
            atomic=atomic,
        )

    def _limited(each: Mapping[str, str | None], limit: Mapping[str, list[str]]) -> Schema:
        field, name = _field(each), str(each["name"])
        field = _with_limits(field, limit.get(name, ()), forms or {})
        if isinstance(field, ListOf):
            items = _with_limits(field.items, limit.get(f"{name}[]", ()), forms or {})
            field = replace(field, items=items)
        return field

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


def _limits(table: str) -> dict[str, dict[str, list[str]]]:
    """Return the words of a table of limits, by type and field."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in table.strip().splitlines():
        field, dummy, words = line.partition("  ")
        owner, dummy, name = field.partition(".")
        found.setdefault(owner, {}).setdefault(name, []).extend(words.split())
    return found


def _with_limits(
    field: Schema, words: Sequence[str], forms: Mapping[str, Callable[[Any], str | None]]
) -> Schema:
    for word in words:
        field = _with_limit(field, word, forms)
    return field


def _with_limit(
    field: Schema, word: str, forms: Mapping[str, Callable[[Any], str | None]]
) -> Schema:
    """Return a field with one limit more."""
    if word == "!":
        return field
    if word in ("positive", "not-negative") and isinstance(field, QuantityValue):
        return replace(field, positive=word == "positive", not_negative=word == "not-negative")
    low, dots, high = word.partition("..")
    if dots and isinstance(field, Integer):
        return replace(field, minimum=int(low), maximum=int(high) if high else None)
    if dots and isinstance(field, ListOf | MapOf):
        return replace(field, min_items=int(low), max_items=int(high) if high else None)
    if word.startswith("@") and isinstance(field, IntOrText):
        return replace(field, form=forms[word[1:]])
    if not isinstance(field, Text):
        raise ValueError(f"{word} is no limit of a {type(field).__name__}")
    blank, word = word.startswith("?"), word.removeprefix("?")
    if word == "+":
        return replace(field, min_length=1)
    if word.startswith("@"):
        return replace(field, form=forms[word[1:]], blank_is_absent=blank)
    return replace(field, enum=tuple(word.split("|")), blank_is_absent=blank)


def _lines(table: str) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Yield the types' names with their fields, and whether they are atomic."""
    for line in table.strip().replace("\n ", " ").splitlines():
        head, dummy, fields = line.partition("  ")
        name, dummy, atomic = head.partition(" ")
        yield name, (fields, bool(atomic))
