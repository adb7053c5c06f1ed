# SPDX-License-Identifier: GPL-3.0-or-later
"""The functions that each of Go's templates may call. Each raises ValueError with Go's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import quote_plus

from .printing import formatted, shown
from .values import Pointer, Struct, pointed, truth

_NO_TYPE = "invalid type for comparison"
_OTHER_TYPE = "incompatible types for comparison"
_HTML = {'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\ufffd"}
_JS = {
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
    "<": "\\u003C",
    ">": "\\u003E",
    "&": "\\u0026",
    "=": "\\u003D",
}


def _kind(value: Any) -> str | None:
    """Return what a value can be compared with; None where with nothing."""
    if isinstance(value, bool):
        return "bool"
    return {str: "text", int: "int", float: "float"}.get(type(value))


def _equal(first: Any, *others: Any) -> bool:
    if not others:
        raise ValueError("missing argument for comparison")
    return any(_same(first, other) for other in others)


def _same(first: Any, other: Any) -> bool:
    if _kind(first) != _kind(other):
        if first is not None and other is not None:
            raise ValueError(_OTHER_TYPE)
        return _is_nil(first) and _is_nil(other)
    if _kind(first) is not None:
        return bool(first == other)
    if _is_nil(first) or _is_nil(other):
        return _is_nil(first) == _is_nil(other)
    if isinstance(first, list | dict):
        raise ValueError("non-comparable type")
    return first is other


def _is_nil(value: Any) -> bool:
    return value is None or (isinstance(value, Pointer) and value.target is None)


def _unequal(first: Any, other: Any) -> bool:
    return not _equal(first, other)


def _less(first: Any, other: Any) -> bool:
    kinds = _kind(first), _kind(other)
    if None in kinds:
        raise ValueError(_NO_TYPE)
    if kinds[0] != kinds[1]:
        raise ValueError(_OTHER_TYPE)
    if kinds[0] == "bool":
        raise ValueError(_NO_TYPE)
    return bool(first < other)


def _less_or_equal(first: Any, other: Any) -> bool:
    return _less(first, other) or _equal(first, other)


def _greater(first: Any, other: Any) -> bool:
    return not _less_or_equal(first, other)


def _greater_or_equal(first: Any, other: Any) -> bool:
    return not _less(first, other)


def _length(value: Any) -> int:
    value = pointed(value)
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, list | dict):
        return len(value)
    raise ValueError(
        "len of nil pointer" if value is None else f"len of type {type(value).__name__}"
    )


def _index(value: Any, *keys: Any) -> Any:
    for pointer in keys:
        value, key = pointed(value), pointed(pointer)
        if value is None:
            raise ValueError("index of nil pointer")
        if isinstance(value, Struct) and not value.type.known:
            value = dict(value.data)
        if isinstance(value, dict):
            if not isinstance(key, str):
                raise ValueError(f"value has type {type(key).__name__}; should be string")
            value = value.get(key, "")
        elif isinstance(value, list | str):
            value = _item(value, key)
        else:
            raise ValueError("can't index item of this type")
    return value


def _item(value: Any, key: Any) -> Any:
    if isinstance(key, bool) or not isinstance(key, int):
        raise ValueError("cannot index slice/array with this type")
    if not 0 <= key < len(value):
        raise ValueError(f"index out of range: {key}")
    return value[key] if isinstance(value, list) else value.encode()[key]


def _slice(value: Any, *bounds: Any) -> Any:
    value = pointed(value)
    if not isinstance(value, str | list):
        raise ValueError("can't slice item of this type")
    if len(bounds) > 2:
        raise ValueError(
            "too many slice indexes" if isinstance(value, list) else "cannot 3-index slice a string"
        )
    whole = value.encode() if isinstance(value, str) else value
    start = bounds[0] if bounds else 0
    end = bounds[1] if len(bounds) > 1 else len(whole)
    for bound in (start, end):
        if not isinstance(bound, int) or not 0 <= bound <= len(whole):
            raise ValueError(f"index out of range: {bound}")
    if start > end:
        raise ValueError(f"invalid slice index: {start} > {end}")
    part = whole[start:end]
    return part.decode(errors="replace") if isinstance(part, bytes) else part


def _joined(*values: Any) -> str:
    """Put a space between two values of which none is a text, as fmt.Sprint does."""
    text = ""
    for number, value in enumerate(values):
        if number and not isinstance(value, str) and not isinstance(values[number - 1], str):
            text += " "
        text += shown(value)
    return text


def _line(*values: Any) -> str:
    return " ".join(shown(value) for value in values) + "\n"


def _format(form: Any, *values: Any) -> str:
    if not isinstance(pointed(form), str):
        raise ValueError("wrong type for value; expected string")
    return formatted(pointed(form), values)


def _html(*values: Any) -> str:
    return "".join(_HTML.get(character, character) for character in _text(values))


def _js(*values: Any) -> str:
    return "".join(_JS.get(character, character) for character in _text(values))


def _query(*values: Any) -> str:
    return quote_plus(_text(values), safe="")


def _text(values: tuple[Any, ...]) -> str:
    return _joined(*(pointed(value) for value in values))


def _not(value: Any) -> bool:
    return not truth(value)


def _call(*values: Any) -> Any:
    raise ValueError(
        "call of nil" if not values else "non-function: nothing in a resource can be called"
    )


#: `and` and `or` look at their arguments one by one, so the interpreter knows them itself.
FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "call": _call,
        "eq": _equal,
        "ge": _greater_or_equal,
        "gt": _greater,
        "html": _html,
        "index": _index,
        "js": _js,
        "le": _less_or_equal,
        "len": _length,
        "lt": _less,
        "ne": _unequal,
        "not": _not,
        "print": _joined,
        "printf": _format,
        "println": _line,
        "slice": _slice,
        "urlquery": _query,
    }
)
