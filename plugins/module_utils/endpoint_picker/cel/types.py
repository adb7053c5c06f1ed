# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of CEL and what its operators and functions take, as far as a picker's expressions need.

`dyn` is anything, and null can be a time. A struct is a map from text. Elements of lists and maps are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

DYN = "dyn"

#: Names of types, which are values too.
TYPE_NAMES = frozenset(
    {"bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"}
)

_NUMBERS = frozenset({"int", "uint", "double"})
_TIMES = frozenset({"duration", "timestamp"})
_ORDERED = _NUMBERS | _TIMES | {"bool", "string", "bytes"}
_SAME: Mapping[str, frozenset[str]] = {
    "+": _NUMBERS | {"string", "bytes", "list", "duration"},
    "-": _NUMBERS | _TIMES,
    "*": _NUMBERS,
    "/": _NUMBERS,
    "%": frozenset({"int", "uint"}),
    "<": _ORDERED,
    "<=": _ORDERED,
    ">": _ORDERED,
    ">=": _ORDERED,
}
_PREDICATES = frozenset({"<", "<=", ">", ">=", "==", "!=", "in"})

_CONVERTED = _NUMBERS | {"string"}
_SIZED = frozenset({"string", "bytes", "list", "map", "struct"})
_TEXT = frozenset({"string"})

#: Functions: what each argument may be (empty: anything), and the result.
_FUNCTIONS: Mapping[str, tuple[Sequence[frozenset[str]], str]] = {
    "bool": ([frozenset({"bool", "string"})], "bool"),
    "bytes": ([frozenset({"bytes", "string"})], "bytes"),
    "double": ([_CONVERTED], "double"),
    "duration": ([frozenset({"string", "duration"})], "duration"),
    "dyn": ([frozenset()], DYN),
    "int": ([_CONVERTED | _TIMES], "int"),
    "matches": ([_TEXT, _TEXT], "bool"),
    "size": ([_SIZED], "int"),
    "string": ([_CONVERTED | _TIMES | {"bool", "bytes"}], "string"),
    "timestamp": ([frozenset({"string", "int", "timestamp"})], "timestamp"),
    "type": ([frozenset()], "type"),
    "uint": ([_CONVERTED], "uint"),
}
_METHODS: Mapping[str, tuple[Sequence[frozenset[str]], str]] = {
    **{
        name: ([_TEXT, _TEXT], "bool") for name in ("contains", "endsWith", "matches", "startsWith")
    },
    "size": ([_SIZED], "int"),
}

#: Parts of a time; all but the last four want a timestamp, and may be told a time zone.
_DATE_PARTS = frozenset(
    {"getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getMonth"}
)
_TIME_PARTS = frozenset({"getHours", "getMilliseconds", "getMinutes", "getSeconds"})


def binary(operator: str, left: str, right: str) -> str | None:
    """Return the type of an operation, None where there is none for these types."""
    result = "bool" if operator in _PREDICATES else None
    if operator == "in":
        fits = right in (DYN, "list", "map") or (right == "struct" and left in (DYN, "string"))
        return "bool" if fits else None
    if operator in ("==", "!="):
        return "bool" if DYN in (left, right) or _kind(left) == _kind(right) else None
    allowed = _SAME[operator]
    if DYN in (left, right):
        other = right if left == DYN else left
        if other == DYN or (other == "null" and allowed & _TIMES):
            return result or DYN
        # Of the operations on times some have another result than their operands.
        own = DYN if other in _TIMES else other
        fits = other in allowed or (operator == "+" and other == "timestamp")
        return (result or own) if fits else None
    if {left, right} == {"timestamp", "duration"} and operator in "+-":
        return "timestamp" if operator == "+" or left == "timestamp" else None
    if left != right or left not in allowed:
        return None
    if operator == "-" and left == "timestamp":
        return "duration"
    return result or left


def _kind(name: str) -> str:
    return "map" if name == "struct" else name


def call(name: str, arguments: Sequence[str], *, method: bool) -> str | None:
    """Return the type of a call, None where there is no such function for these types. The receiver is the first argument."""
    if method and name in _DATE_PARTS | _TIME_PARTS:
        receivers = _TIMES if name in _TIME_PARTS else {"timestamp"}
        fits = arguments[0] in (DYN, *receivers) and len(arguments) <= 2
        return "int" if fits and all(each in (DYN, "string") for each in arguments[1:]) else None
    found = (_METHODS if method else _FUNCTIONS).get(name)
    if found is None or len(found[0]) != len(arguments):
        return None
    wanted, result = found
    fits = all(
        not allowed or each == DYN or each in allowed or (each == "null" and bool(allowed & _TIMES))
        for allowed, each in zip(wanted, arguments, strict=True)
    )
    return result if fits else None


def is_function(name: str) -> bool:
    """Whether there is a function or a method of this name."""
    return name in _FUNCTIONS or name in _METHODS or name in _DATE_PARTS | _TIME_PARTS
