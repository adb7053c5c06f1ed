# SPDX-License-Identifier: GPL-3.0-or-later
"""What Go says of text that is no JSON. Source: encoding/json of Go 1.25."""

from __future__ import annotations

import json
import re

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPED_END = re.compile(r"(?<!\\)(?:\\\\)*\\$")
_PLACES = {
    "Expecting value": "looking for beginning of value",
    "Expecting ':' delimiter": "after object key",
    "Extra data": "after top-level value",
    "Invalid \\escape": "in string escape code",
    "Invalid \\uXXXX escape": "in \\u hexadecimal character escape",
    "Invalid control character at": "in string literal",
}
_KEY = "Expecting property name enclosed in double quotes"
_COMMA = "Expecting ',' delimiter"


def go_json_error(error: json.JSONDecodeError) -> str:
    """Return the error as Go tells it."""
    text, place = error.doc, error.pos
    said = error.msg.removesuffix(": ")
    if said.startswith("Invalid \\"):
        place += 1
    elif not said.startswith("Invalid"):
        place += len(text[place:]) - len(text[place:].lstrip())
    if said == "Expecting value":
        place, wanted = _in_literal(text, place)
        if wanted:
            # Go looks one space beyond the end.
            return f"invalid character {_quoted(text[place : place + 1] or ' ')} {wanted}"
    if said.startswith("Unterminated") and _ESCAPED_END.search(text):
        return "invalid character ' ' in string escape code"
    if place >= len(text) or said.startswith("Unterminated"):
        return "unexpected end of JSON input"
    if said == _COMMA:
        where = "after array element" if _in_list(text[:place]) else "after object key:value pair"
    elif said == _KEY or said.startswith("Illegal trailing comma before end of object"):
        where = "looking for beginning of object key string"
    else:
        where = _PLACES.get(said, "looking for beginning of value")
    return f"invalid character {_quoted(text[place])} {where}"


def _in_literal(text: str, place: int) -> tuple[int, str]:
    """Return how far a value was read, and what was wanted there; nothing where it does not begin as one."""
    for literal in ("true", "false", "null"):
        if text.startswith(literal[0], place):
            read = 1
            while text[place + read : place + read + 1] == literal[read : read + 1] != "":
                read += 1
            return place + read, f"in literal {literal} (expecting '{literal[read : read + 1]}')"
    if text.startswith("-", place):
        return place + 1, "in numeric literal"
    return place, ""


def _in_list(text: str) -> bool:
    """Return whether the innermost part that is open at the end of a text is a list."""
    opened: list[str] = []
    for sign in _STRING.sub("", text):
        if sign in "[{":
            opened.append(sign)
        elif sign in "]}" and opened:
            opened.pop()
    return bool(opened) and opened[-1] == "["


def _quoted(sign: str) -> str:
    special = {
        "'": r"'\''",
        '"': "'\"'",
        "\\": r"'\\'",
        "\n": r"'\n'",
        "\t": r"'\t'",
        "\r": r"'\r'",
    }
    return special.get(sign, f"'{sign}'")
