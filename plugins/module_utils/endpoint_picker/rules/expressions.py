# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a CEL expression compiles: judged by Google's own library where it is installed. Nothing is evaluated."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

#: What pip calls the library.
LIBRARY = "cel-expr-python"
#: What an expression of a reporter may use: the token counts that a response reports.
_VARIABLES = {"usage": "google.protobuf.Struct"}
_PLACE = re.compile(r"ERROR: <input>:(\d+):(\d+): (.*)")


class NotJudgedError(Exception):
    """Nobody can say whether the expression compiles; the text says why."""


def compile_fault(text: str) -> str:
    """Return why an expression does not compile, empty where it does. Raises NotJudgedError."""
    try:
        _environment().compile(text)
    except RuntimeError as error:
        return _fault(str(error))
    return ""


@cache
def _environment() -> Any:
    try:
        from cel_expr_python import cel
    except ImportError as error:
        raise NotJudgedError(f"the Python library {LIBRARY} is not installed") from error
    return cel.NewEnv(variables={name: cel.Type(each) for name, each in _VARIABLES.items()})


def _fault(message: str) -> str:
    """Return what the library says, in one line. Limits of its own, which cel-go does not have, are no fault of the expression."""
    found = _PLACE.search(message)
    if found is None:
        raise NotJudgedError(message.partition("\n")[0])
    line, column, fault = found.groups()
    return f"line {line}, column {column}: {fault}"
