# SPDX-License-Identifier: GPL-3.0-or-later
"""What an unquoted YAML scalar is for Go's YAML 1.1 decoder (go-yaml v2)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from ..findings import Value

_WORDS: Mapping[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(
        ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True
    ),
    **dict.fromkeys(
        ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False
    ),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}

_NUMBER_START = re.compile(r"[-+.0-9]", re.ASCII)
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|0[oO]?(?P<octal>[0-7]+)|(?P<decimal>0|[1-9][0-9]*))",
    re.ASCII,
)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ]\s*[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?.*)?",
    re.ASCII,
)

#: The largest integer that Go keeps as one; larger ones become floating-point numbers.
_LARGEST = 2**64 - 1
_SMALLEST = -(2**63)


def plain_scalar(text: str) -> Value:
    """Return what an unquoted scalar means: None, a boolean, a number, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if not _NUMBER_START.match(text) or _DATE.fullmatch(text):
        return text
    if text.startswith("."):
        return float(text) if _FLOAT.fullmatch(text) else text
    digits = text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    # What is too large for a number stays text, as Go's parser refuses it.
    if _FLOAT.fullmatch(digits) and math.isfinite(number := float(digits)):
        return number
    return text


def _integer(digits: str) -> int | None:
    match = _INTEGER.fullmatch(digits)
    if match is None:
        return None
    for group, base in (("hex", 16), ("binary", 2), ("octal", 8), ("decimal", 10)):
        if match[group] is not None:
            value = int(match["sign"] + match[group], base)
            return value if _SMALLEST <= value <= _LARGEST else None
    return None
