# SPDX-License-Identifier: GPL-3.0-or-later
"""A template as plain text and actions, and an action as words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .errors import TemplateError

LEFT, RIGHT = "{{", "}}"
_SPACE = " \t\r\n"

_WORD = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<raw>`[^`]*`)
      | (?P<char>'(?:\\.|[^'\\\n])*')
      | (?P<declare>:=)
      | (?P<number>[+-]?(?:0[xX][0-9a-fA-F_]+|(?:[0-9][0-9_]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))
      | (?P<variable>\$\w*)
      | (?P<field>\.\w+)
      | (?P<dot>\.)
      | (?P<word>\w+)
      | (?P<sign>[=|(),])""",
    re.VERBOSE,
)
#: After these kinds of words something has to end the word: otherwise the next character is a bad one.
_NEEDS_END = {"word", "field", "variable", "dot"}
_ENDS = "".join(_SPACE) + ".,|:)("


class Word(NamedTuple):
    """One word of an action. kind: a group of the lexer's expression."""

    kind: str
    text: str


class Piece(NamedTuple):
    """Plain text, or an action. offset: where it begins, in characters."""

    is_action: bool
    text: str
    offset: int


def pieces(text: str) -> Iterator[Piece]:
    """Yield the parts of a template. Trim markers have done their work, comments are left out.

    Raises TemplateError for an action that does not end.
    """
    position, trimmed = 0, False
    while True:
        start = text.find(LEFT, position)
        plain = text[position:] if start < 0 else text[position:start]
        if trimmed:
            plain = plain.lstrip(_SPACE)
        inner_start = start + len(LEFT)
        trims_left = (
            start >= 0
            and text[inner_start : inner_start + 1] == "-"
            and _is_space(text, inner_start + 1)
        )
        if trims_left:
            plain = plain.rstrip(_SPACE)
        if plain:
            yield Piece(False, plain, position)
        if start < 0:
            return
        inner_start += 2 if trims_left else 0
        end = _end(text, inner_start)
        inner = text[inner_start:end]
        trimmed = inner.endswith("-") and inner[-2:-1] != "" and inner[-2] in _SPACE
        inner = inner[:-1] if trimmed else inner
        if not inner.strip(_SPACE).startswith("/*"):
            yield Piece(True, inner, inner_start)
        position = end + len(RIGHT)


def _is_space(text: str, position: int) -> bool:
    return text[position : position + 1] in tuple(_SPACE)


def _end(text: str, start: int) -> int:
    """Return where an action ends: at the first braces that are not in a text or a comment."""
    if text[start:].lstrip(_SPACE).startswith("/*"):
        close = text.find("*/", start)
        end = text.find(RIGHT, close) if close >= 0 else -1
        if end < 0:
            raise TemplateError("unclosed comment", offset=start)
        return end
    position = start
    while not text.startswith(RIGHT, position):
        match = _WORD.match(text, position)
        position = match.end() if match else position + 1
        if position >= len(text):
            end = text.find(RIGHT, start)
            # Reading the action word by word says what is wrong with it.
            words(text[start:] if end < 0 else text[start:end])
            raise TemplateError("unclosed action", action=text[start:], offset=start)
    return position


@lru_cache(maxsize=4096)
def words(action: str) -> tuple[Word, ...]:
    """Return the words of an action, spaces included, since `.a .b` is not `.a.b`. Raises TemplateError."""
    found: list[Word] = []
    position = 0
    while position < len(action):
        match = _WORD.match(action, position)
        if match is None:
            raise TemplateError(_bad(action, position), action=action)
        kind = str(match.lastgroup)
        position = match.end()
        if (
            kind in _NEEDS_END
            and position < len(action)
            and not _may_follow(kind, action, position)
        ):
            raise TemplateError(f"bad character {_named(action[position])}", action=action)
        found.append(Word(kind, match[0]))
    return tuple(found)


def _may_follow(kind: str, action: str, position: int) -> bool:
    return action[position] in _ENDS or (kind == "dot" and action[position] not in "\"'`\\")


def _bad(action: str, position: int) -> str:
    character = action[position]
    if character == '"' or character == "'":
        what = "quoted string" if character == '"' else "character constant"
        return f"unterminated {what}"
    if character == "`":
        return "unterminated raw quoted string"
    if character == ":":
        return "expected :="
    if character.isascii() and character.isprintable():
        shown = {"\\": "\\\\", '"': '\\"'}.get(character, character)
        return f'unexpected "{shown}" in operand'
    return f"unrecognized character in action: {_named(character)}"


def _named(character: str) -> str:
    return (
        f"U+{ord(character):04X} '{character}'"
        if character.isprintable()
        else f"U+{ord(character):04X}"
    )
