# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of a CEL expression. Source: github.com/google/cel-spec, langdef."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["int", "uint", "double", "string", "bytes", "name", "sign", "end"]


class CelError(Exception):
    """The expression does not compile. The message says why, and where."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word with its place, counted from 1."""

    kind: Kind
    text: str
    place: int


_ESCAPE = r"\\(?:[abfnrtv\"'`\\?]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})"
_PLAIN = "|".join(
    [
        rf"'''(?:{_ESCAPE}|(?!''')[^\\])*'''",
        rf'"""(?:{_ESCAPE}|(?!""")[^\\])*"""',
        rf"'(?:{_ESCAPE}|[^\\'\n\r])*'",
        rf'"(?:{_ESCAPE}|[^\\"\n\r])*"',
    ]
)
_RAW = r"'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|'[^'\n\r]*'|\"[^\"\n\r]*\""
_WORD = re.compile(
    rf"""(?P<space>\s+|//[^\n]*)
    |(?P<bytes>[bB](?:[rR](?:{_RAW})|{_PLAIN}))
    |(?P<string>[rR](?:{_RAW})|{_PLAIN})
    |(?P<double>(?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)
    |(?P<uint>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])
    |(?P<int>0x[0-9a-fA-F]+|[0-9]+)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>&&|\|\||<=|>=|==|!=|[-+*/%<>!?:.,()\[\]{{}}])""",
    re.VERBOSE,
)

_LARGEST = {"int": 2**63, "uint": 2**64 - 1}


def tokens(text: str) -> Iterator[Token]:
    """Yield the words of an expression and an end. Raises CelError for what is no word."""
    position = 0
    while position < len(text):
        match = _WORD.match(text, position)
        if match is None:
            raise CelError(f"column {position + 1}: {text[position]!r} begins no word of CEL")
        kind = match.lastgroup
        if kind is not None and kind != "space":
            yield _token(kind, match[0], position + 1)
        position = match.end()
    yield Token("end", "", position + 1)


def _token(kind: str, text: str, place: int) -> Token:
    if kind in _LARGEST and int(text.rstrip("uU"), 0 if "x" in text else 10) > _LARGEST[kind]:
        raise CelError(f"column {place}: {text} is too large")
    known: dict[str, Kind] = {
        "int": "int",
        "uint": "uint",
        "double": "double",
        "string": "string",
        "bytes": "bytes",
        "name": "name",
        "sign": "sign",
    }
    return Token(known[kind], text, place)
