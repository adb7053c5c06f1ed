# SPDX-License-Identifier: GPL-3.0-or-later
"""From the words of an action to a pipeline."""

from __future__ import annotations

import ast
from functools import lru_cache

from .errors import TemplateError
from .lexer import Word, words
from .nodes import Command, Fields, Function, Literal, Nil, Operand, Pipeline, Variable

_CONSTANTS = {"true": True, "false": False}


@lru_cache(maxsize=4096)
def read_pipeline(text: str, functions: frozenset[str], context: str) -> Pipeline:
    """Return a pipeline. context: the word before it, or `command`. Raises TemplateError."""
    reader = _Reader(words(text), functions, context)
    pipeline = reader.pipeline()
    if not reader.done:
        raise TemplateError(f'unexpected "{reader.peek().text}" in {context}')
    return pipeline


class _Reader:
    def __init__(self, found: tuple[Word, ...], functions: frozenset[str], context: str) -> None:
        self._words = found
        self._functions = functions
        self._context = context
        self._position = 0

    @property
    def done(self) -> bool:
        self._skip_spaces()
        return self._position >= len(self._words)

    def peek(self) -> Word:
        """Return the next word, spaces included."""
        at_end = self._position >= len(self._words)
        return Word("end", "end of the action") if at_end else self._words[self._position]

    def _next(self) -> Word:
        word = self.peek()
        self._position += 1
        return word

    def _skip_spaces(self) -> None:
        while self.peek().kind == "space":
            self._position += 1

    def pipeline(self) -> Pipeline:
        variables, declares = self._declaration()
        commands: list[Command] = []
        while True:
            command = self._command()
            if commands and isinstance(command.words[0], (Literal, Nil)):
                raise TemplateError(f"non executable command in pipeline stage {len(commands) + 1}")
            commands.append(command)
            if self.peek().text != "|":
                break
            self._next()
        source = " | ".join(command.source for command in commands)
        return Pipeline(tuple(commands), variables, declares, source)

    def _declaration(self) -> tuple[tuple[str, ...], bool]:
        """Read `$x :=`, `$x =` or `$i, $x :=`; go back where it is none."""
        start, variables = self._position, []
        while True:
            self._skip_spaces()
            variable = self._next()
            if variable.kind != "variable":
                break
            variables.append(variable.text)
            self._skip_spaces()
            sign = self._next().text
            if sign in (":=", "="):
                return tuple(variables), sign == ":="
            if sign != "," or self._context != "range" or len(variables) == 2:
                break
        self._position = start
        return (), False

    def _command(self) -> Command:
        operands: list[Operand] = []
        while True:
            self._skip_spaces()
            word = self.peek()
            if word.kind == "end" or word.text in ("|", ")"):
                break
            operands.append(self._operand())
            after = self.peek()
            if after.kind not in ("space", "end") and after.text not in ("|", ")"):
                raise TemplateError(f'unexpected "{_shown(after.text)}" in operand')
        if not operands:
            missing = "missing value for " + self._context
            raise TemplateError(missing if self.done else "missing value in pipeline")
        return Command(tuple(operands), " ".join(operand.source for operand in operands))

    def _operand(self) -> Operand:
        start = self._position
        term = self._term()
        path: list[str] = []
        while self.peek().kind == "field":
            path.append(self._next().text[1:])
        source = "".join(word.text for word in self._words[start : self._position])
        if isinstance(term, Fields):
            return Fields(term.start, (*term.path, *path), source)
        if not path:
            return term
        if isinstance(term, (Literal, Nil)):
            raise TemplateError(f'unexpected . after term "{term.source}"')
        return Fields(term, tuple(path), source)

    def _term(self) -> Operand:
        word = self._next()
        if word.text == "(":
            inner = self.pipeline()
            if self._next().text != ")":
                raise TemplateError("unclosed left paren")
            return Pipeline(inner.commands, inner.variables, inner.declares, f"({inner.source})")
        match word.kind:
            case "dot":
                return Fields(None, (), word.text)
            case "field":
                return Fields(None, (word.text[1:],), word.text)
            case "variable":
                return Variable(word.text, word.text)
            case "word":
                return self._name(word.text)
            case "string" | "raw" | "number" | "char":
                return Literal(_constant(word), word.text)
        raise TemplateError(f'unexpected "{_shown(word.text)}" in operand')

    def _name(self, name: str) -> Operand:
        if name in _CONSTANTS:
            return Literal(_CONSTANTS[name], name)
        if name == "nil":
            return Nil()
        if name not in self._functions:
            raise TemplateError(f'function "{name}" not defined')
        return Function(name, name)


def _constant(word: Word) -> str | int | float:
    if word.kind == "raw":
        return word.text[1:-1]
    try:
        if word.kind == "number":
            text = word.text.replace("_", "")
            return int(text, 0) if _is_whole(text) else float(text)
        value = ast.literal_eval(word.text)
    except (ValueError, SyntaxError):
        raise TemplateError(f"invalid syntax: {word.text}") from None
    return ord(value) if word.kind == "char" and len(value) == 1 else str(value)


def _is_whole(text: str) -> bool:
    return text.lower().startswith(("0x", "+0x", "-0x")) or not set(text.lower()) & set(".e")


def _shown(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
