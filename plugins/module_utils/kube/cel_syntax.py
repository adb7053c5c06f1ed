# SPDX-License-Identifier: GPL-3.0-or-later
"""Expressions of CEL: what cannot be one, whatever it is about. What is right here may be wrong for the server, which knows types, too.

Source: cel-spec doc/langdef.md, Syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .brackets import unbalanced

_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*)
    |(?P<text>[rRbB]{0,2}(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
    |(?P<number>0x[0-9a-fA-F]+u?|[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?u?)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*|`[^`\n]+`)
    |(?P<binary>==|!=|<=|>=|&&|\|\||[+*/%<>])
    |(?P<sign>[!-])
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<mark>[.,:?])""",
    re.VERBOSE | re.ASCII,
)
#: What people write for an operator of CEL.
_MEANT = {"=": "==", "&": "&&", "|": "||", "and": "&&", "or": "||", "not": "!", "is": "=="}
_IN = "in"


class _Token(NamedTuple):
    kind: str
    text: str


def cel_fault(expression: str) -> str:
    """Return why a text is no expression of CEL, empty where it may be one."""
    if not expression.strip():
        return "it is empty"
    tokens, rest = _tokens(expression)
    if rest:
        return _strange(rest)
    return _unbalanced(tokens) or next(_misplaced(tokens), "")


def words_of(expression: str) -> frozenset[str]:
    """Return the words of an expression that may name a variable: they follow no dot, and are followed by no bracket or colon."""
    tokens, dummy = _tokens(expression)
    found: set[str] = set()
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        free = before is None or before.text not in (".", "?")
        called = after is not None and after.text in ("(", ":")
        if token.kind == "word" and free and not called:
            found.add(token.text)
    return frozenset(found)


def _tokens(expression: str) -> tuple[list[_Token], str]:
    """Return the tokens of an expression, and what begins with no token."""
    found: list[_Token] = []
    place = 0
    while place < len(expression):
        match = _TOKEN.match(expression, place)
        if match is None:
            return found, expression[place:]
        place = match.end()
        kind = str(match.lastgroup)
        if kind != "blank":
            word = kind == "word" and match[0] == _IN
            found.append(_Token("binary" if word else kind, match[0]))
    return found, ""


def _strange(rest: str) -> str:
    mark = rest[0]
    if mark in "\"'":
        return f"the text that begins with {mark} has no end"
    meant = f"; write {_MEANT[mark]}" if mark in _MEANT else ""
    return f"{mark} is no operator of CEL{meant}"


def _unbalanced(tokens: list[_Token]) -> str:
    found = unbalanced(token.text for token in tokens if token.kind in ("open", "close"))
    if found is None:
        return ""
    bracket, opens = found
    return f"{bracket} is never closed" if opens else f"{bracket} closes nothing"


def _misplaced(tokens: list[_Token]) -> Iterator[str]:
    """Yield what follows where it cannot: a value behind a value, an operator behind an operator."""
    before = _Token("open", "")
    for token in tokens:
        value = token.kind in ("text", "number", "word")
        ended = before.kind in ("text", "number", "word", "close")
        if value and ended:
            odd = before if before.text in _MEANT else token
            meant = f"; write {_MEANT[odd.text]}" if odd.text in _MEANT else ""
            yield f"{before.text} and {token.text} follow each other without an operator{meant}"
        if token.kind == "binary" and not ended:
            yield f"{token.text} has nothing on its left"
        if token.kind == "close" and before.kind in ("binary", "sign"):
            yield f"{before.text} has nothing on its right"
        before = token
    if before.kind in ("binary", "sign") or before.text == ".":
        yield f"{before.text} has nothing on its right"
