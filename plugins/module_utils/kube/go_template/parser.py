# SPDX-License-Identifier: GPL-3.0-or-later
"""From a template's text to its parts: plain text, actions and branches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .errors import TemplateError
from .lexer import Piece, Word, pieces, words
from .nodes import Action, Branch, Jump, Node, Text
from .pipeline import read_pipeline

_BRANCHES = ("if", "range", "with")
_DEFINITIONS = ("define", "template", "block")
_JUMPS = ("break", "continue")
_KEYWORDS = (*_BRANCHES, *_DEFINITIONS, *_JUMPS, "else", "end")


class _Stop(NamedTuple):
    """The `else` or `end` before which a list of parts ends. rest: the words after it."""

    keyword: str
    rest: tuple[Word, ...]
    piece: Piece


def parse(text: str, functions: frozenset[str]) -> list[Node]:
    """Return the parts of a template. functions: the names that may be called. Raises TemplateError."""
    parser = _Parser(pieces(text), functions)
    nodes, stop = parser.nodes(in_range=False)
    if stop:
        raise _located(TemplateError(f"unexpected {{{{{stop.keyword}}}}}"), stop.piece)
    return nodes


class _Parser:
    def __init__(self, found: Iterator[Piece], functions: frozenset[str]) -> None:
        self._pieces = found
        self._functions = functions

    def nodes(self, *, in_range: bool) -> tuple[list[Node], _Stop | None]:
        """Return the parts up to an `else` or `end` that belongs to nothing among them, or to the end of the text."""
        nodes: list[Node] = []
        for piece in self._pieces:
            if not piece.is_action:
                nodes.append(Text(piece.text))
                continue
            try:
                found = self._action(piece, in_range=in_range)
            except TemplateError as error:
                raise _located(error, piece) from None
            if isinstance(found, _Stop):
                return nodes, found
            nodes.append(found)
        return nodes, None

    def _action(self, piece: Piece, *, in_range: bool) -> Node | _Stop:
        found = words(piece.text)
        first = next((number for number, word in enumerate(found) if word.kind != "space"), None)
        keyword = found[first].text if first is not None else ""
        if first is None or keyword not in _KEYWORDS:
            pipeline = read_pipeline(piece.text, self._functions, "command")
            return Action(pipeline, piece.offset, piece.text)
        rest = found[first + 1 :]
        if keyword in _DEFINITIONS:
            raise TemplateError(f"{{{{{keyword}}}}} is not supported: each text is one template")
        if keyword in _JUMPS:
            if not in_range:
                raise TemplateError(f"{{{{{keyword}}}}} outside {{{{range}}}}")
            return Jump(keyword)
        if keyword in _BRANCHES:
            return self._branch(keyword, rest, piece, in_range=in_range)
        return _Stop(keyword, rest, piece)

    def _branch(
        self, keyword: str, rest: tuple[Word, ...], piece: Piece, *, in_range: bool
    ) -> Branch:
        condition = "".join(word.text for word in rest)
        pipeline = read_pipeline(condition, self._functions, keyword)
        branch = Branch(keyword, pipeline, piece.offset, piece.text)
        branch.body, stop = self.nodes(in_range=in_range or keyword == "range")
        if stop and stop.keyword == "else":
            branch.otherwise, stop = self._else(keyword, stop, in_range=in_range)
        if stop is None:
            raise TemplateError("unexpected EOF")
        if any(word.kind != "space" for word in stop.rest):
            raise _located(TemplateError("unexpected words in end"), stop.piece)
        return branch

    def _else(
        self, keyword: str, stop: _Stop, *, in_range: bool
    ) -> tuple[list[Node], _Stop | None]:
        more = [number for number, word in enumerate(stop.rest) if word.kind != "space"]
        if not more:
            nodes, end = self.nodes(in_range=in_range)
            if end and end.keyword == "else":
                raise _located(TemplateError("expected end; found {{else}}"), end.piece)
            return nodes, end
        again = stop.rest[more[0]].text
        if again != keyword or keyword == "range":
            raise _located(TemplateError(f'unexpected "{again}" in else'), stop.piece)
        # `else if` is an `if` inside `else` that shares its `end`.
        inner = self._branch(keyword, stop.rest[more[0] + 1 :], stop.piece, in_range=in_range)
        return [inner], _Stop("end", (), stop.piece)


def _located(error: TemplateError, piece: Piece) -> TemplateError:
    if not error.action:
        error.action, error.offset = piece.text, piece.offset
    return error
