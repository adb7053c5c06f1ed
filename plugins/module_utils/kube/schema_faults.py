# SPDX-License-Identifier: GPL-3.0-or-later
"""How messages speak of a value that does not fit its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .did_you_mean import nearest
from .names import quoted
from .schema import Schema, Text

#: JSON can say such a thing, and UTF-8 cannot.
_HALF = re.compile(r"[\ud800-\udfff]")
#: How much of a wrong value a message repeats, in characters.
_SHOWN = 80


def show(value: Any) -> str:
    """Return a value as messages show it: as JSON writes it, cut when it is long."""
    if isinstance(value, str):
        return quoted(value)
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def missing(schema: Schema) -> str:
    """Say that a required field is not there, and what it is for."""
    what = schema.description.partition(". ")[0].rstrip(".")
    return f"missing: {what[:1].lower()}{what[1:]}" if what else "missing"


def not_a_string(value: Any, *, sensitive: bool) -> str:
    """Say that a value is no string, and how to make it one; a value that may be a secret is not shown."""
    if isinstance(value, Mapping | list | tuple) or value is None:
        return "not a string" if sensitive else f"{show(value)} is not a string"
    kind = (
        "a boolean"
        if isinstance(value, bool)
        else "a number"
        if isinstance(value, int | float)
        else "not text"
    )
    if sensitive and not isinstance(value, bool):
        return f"{kind}, not a string; put it in quotes"
    return f'{show(value)} is {kind}, not a string; put it in quotes: "{str(value).lower()}"'


def _beginning(value: str, known: Sequence[str]) -> str | None:
    """Return the known word with which a longer one begins, as `nvidia.com/gpu` does with `nvidia`."""
    first = re.split(r"[^A-Za-z0-9]", value.casefold(), maxsplit=1)[0]
    return next((each for each in known if each.casefold() == first), None)


def not_an_integer(value: Any) -> str:
    """Say that a value is no integer, and how one is written that is in quotes or has a fraction of 0."""
    hint = ""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value):
        hint = f"; write {value} without quotes"
    elif isinstance(value, float) and value.is_integer():
        hint = f"; write {int(value)}"
    elif value == "":
        hint = "; leave it out for the default"
    return f"{show(value)} is not an integer{hint}"


def text_fault(schema: Text, value: str) -> tuple[str, str] | None:
    """Return what is wrong with a string and which rule says so, or None."""
    if not value.isascii() and _HALF.search(value):
        return "holds half a character (one surrogate of a pair), which no text may", "pattern"
    if schema.enum and value not in schema.enum:
        near = nearest(value, schema.enum) or _beginning(value, schema.enum)
        guess = f', did you mean "{near}"?' if near else ""
        return f"{show(value)} is not one of {', '.join(schema.enum)}{guess}", "enum"
    if schema.form and (fault := schema.form(value)):
        return fault, "pattern"
    if len(value) < schema.min_length:
        return "must not be empty", "length"
    if schema.max_length is not None and len(value) > schema.max_length:
        return (
            f"{show(value)} has {len(value)} characters; at most {schema.max_length} are allowed",
            "length",
        )
    if schema.pattern and not re.search(schema.pattern, value):
        return f"{show(value)} does not match {schema.pattern}", "pattern"
    return None
