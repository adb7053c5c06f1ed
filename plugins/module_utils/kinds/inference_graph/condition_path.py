# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of steps, which are paths: the router asks whether a path leads to something, and compares nothing outside a query.

Source: KServe v0.17.0, cmd/router/main.go; gjson SYNTAX.md.
"""

from __future__ import annotations

import re

#: `#(…)` and what is escaped: there, marks of comparison are right.
_QUERY = re.compile(r"\\.|#\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\([^()]*\))*\)#?")
_COMPARED = re.compile(r"==|!=|<=|>=|[<>=]|&&|\|\|")
_WHOLE = {"{": "}", "[": "]"}


def path_fault(condition: str) -> str:
    """Return why a condition does not tell requests apart, empty where it may."""
    if condition[:1] in _WHOLE and condition.endswith(_WHOLE[condition[0]]):
        return "builds a value of its own, which exists in every request: the step is always taken"
    if condition.startswith(("$.", "$[")):
        return 'is JSONPath, and here names a field "$": the step is never taken'
    if condition.startswith("@"):
        return ""
    mark = _COMPARED.search(_QUERY.sub("", condition))
    if mark:
        return f"compares with {mark[0]} outside a query, and so names a field that is called like this: the step is never taken"
    return ""
