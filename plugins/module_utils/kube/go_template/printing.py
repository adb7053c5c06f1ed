# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as text, as Go's templates and its package fmt print them."""

from __future__ import annotations

import json
import re
from typing import Any

from .values import Pointer, Struct, pointed

_VERB = re.compile(r"%([-+# 0]*)([0-9]*)(?:\.([0-9]+))?([a-zA-Z%])")
_IN_A_PAGE = str.maketrans(
    {
        "\0": "\ufffd",
        '"': "&#34;",
        "&": "&amp;",
        "'": "&#39;",
        "+": "&#43;",
        "<": "&lt;",
        ">": "&gt;",
    }
)
#: Go's verbs for numbers and what Python calls them.
_NUMBERS = {"d": "d", "x": "x", "X": "X", "o": "o", "e": "e", "E": "E", "f": "f", "g": "g"}


def printed(value: Any) -> str:
    """Return a value as an action prints it; a pointer prints what it points to."""
    value = pointed(value)
    if value is None:
        return "<no value>"
    return shown(value)


def escaped(value: Any) -> str:
    """Return a value as html/template prints it in the text of a page; nothing for one that is not there."""
    value = pointed(value)
    return "" if value is None else shown(value).translate(_IN_A_PAGE)


def shown(value: Any) -> str:
    """Return a value as fmt's verb %v prints it. Raises ValueError for a pointer: Go would print an address."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case float():
            return repr(value).removesuffix(".0")
        case list():
            return f"[{' '.join(shown(item) for item in value)}]"
        case dict():
            return f"map[{' '.join(f'{key}:{shown(value[key])}' for key in sorted(value))}]"
        case Struct():
            if value.type.text:
                return str(value.data.get(value.type.text, ""))
            raise ValueError(
                "a whole struct has no text that is worth printing; name one of its fields"
            )
        case Pointer():
            if value.target is None:
                return "<nil>"
            raise ValueError(
                "this would print an address in memory; print the value by an action of its own"
            )
        case _:
            return str(value)


def formatted(form: str, values: tuple[Any, ...]) -> str:
    """Return what printf gives. Raises ValueError for a pointer."""
    left = list(values)

    def put(match: re.Match[str]) -> str:
        flags, width, precision, verb = match[1], match[2], match[3], match[4]
        if verb == "%":
            return "%"
        if not left:
            return f"%!{verb}(MISSING)"
        text = _verb(verb, precision, left.pop(0), flags, width)
        return text if len(text) >= int(width or 0) else _padded(text, int(width), flags)

    text = _VERB.sub(put, form)
    extra = ", ".join(f"{_type(value)}={shown(value)}" for value in left)
    return f"{text}%!(EXTRA {extra})" if left else text


def _verb(verb: str, precision: str | None, value: Any, flags: str, width: str) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if (
        verb == "v"
        or (verb == "s" and isinstance(value, str))
        or (verb == "t" and isinstance(value, bool))
    ):
        text = shown(value)
        return text[: int(precision)] if precision and isinstance(value, str) else text
    if verb == "q" and isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if verb in _NUMBERS and is_number and (verb in "eEfg" or isinstance(value, int)):
        zeros = width if "0" in flags and "-" not in flags else ""
        spec = f"%{'+' if '+' in flags else ''}{'0' if zeros else ''}{zeros}"
        form = spec + (f".{precision}" if precision else "") + _NUMBERS[verb]
        return str(form % value)
    if verb in "sxX" and isinstance(value, list):
        return shown(value)
    if verb in "xX" and isinstance(value, str):
        return value.encode().hex()
    return f"%!{verb}({_type(value)}={shown(value)})"


def _padded(text: str, width: int, flags: str) -> str:
    return text.ljust(width) if "-" in flags else text.rjust(width)


def _type(value: Any) -> str:
    names = {
        bool: "bool",
        int: "int",
        float: "float64",
        str: "string",
        list: "[]interface {}",
        dict: "map[string]string",
    }
    return names.get(type(value), "interface {}")
