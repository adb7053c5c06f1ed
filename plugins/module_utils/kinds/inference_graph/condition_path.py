# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of steps, which are paths: the router asks whether a path leads to something, and compares nothing outside a query.

Source: KServe v0.17.0, cmd/router/main.go; gjson SYNTAX.md.
"""

from __future__ import annotations

import re

_COMPARED = re.compile(r"==|!=|<=|>=|[<>=]|&&|\|\|")
_WHOLE = {"{": "}", "[": "]"}
#: The argument of a modifier, in which everything may stand.
_ARGUMENT = re.compile(r"@\w+:")
_QUERY = "#("


def path_fault(condition: str) -> str:
    """Return why a condition does not tell requests apart, empty where it may."""
    if condition[:1] in _WHOLE and condition.endswith(_WHOLE[condition[0]]):
        return "builds a value of its own, which exists in every request: the step is always taken"
    if condition.startswith(("$.", "$[")):
        return 'is JSONPath, and here names a field "$": the step is never taken'
    if _ARGUMENT.search(condition):
        return ""
    outside, closed = _outside_queries(condition)
    if not closed:
        return (
            f"opens a query with {_QUERY} and does not close it, so that it asks for something else"
        )
    mark = None if condition.startswith("@") else _COMPARED.search(outside)
    if mark:
        return f"compares with {mark[0]} outside a query, and so names a field that is called like this: the step is never taken"
    return ""


def _outside_queries(condition: str) -> tuple[str, bool]:
    """Return what of a path is in no query, without what is escaped, and whether every query is closed.

    Inside a query brackets nest, and texts in quotes hold any of them.
    """
    outside: list[str] = []
    depth, quoted, position = 0, False, 0
    while position < len(condition):
        here = condition[position]
        if here == "\\":
            position += 1
        elif not depth and condition.startswith(_QUERY, position):
            depth, position = 1, position + 1
        elif not depth:
            outside.append(here)
        elif here == '"':
            quoted = not quoted
        elif not quoted:
            depth += (here == "(") - (here == ")")
        position += 1
    return "".join(outside), not depth
