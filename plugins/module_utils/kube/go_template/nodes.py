# SPDX-License-Identifier: GPL-3.0-or-later
"""What a template consists of once it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, a number or a boolean."""

    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class Nil:
    """The word nil."""

    source: str = "nil"


@dataclass(frozen=True, slots=True)
class Fields:
    """A path from the current value (`.a.b`, or `.` alone), or from what comes before it.

    start: a variable's name, a function or a pipeline in parentheses; None for the current value.
    """

    start: Variable | Function | Pipeline | None
    path: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, its name with the dollar sign."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Function:
    """The name of a function."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Command:
    """A value, or a function or field with its arguments."""

    words: tuple[Operand, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands, each of which hands its result to the next.

    variables: the names that take the result. declares: whether they are new.
    """

    commands: tuple[Command, ...]
    variables: tuple[str, ...]
    declares: bool
    source: str


Operand: TypeAlias = "Literal | Nil | Fields | Variable | Function | Pipeline"


@dataclass(slots=True)
class Text:
    """Plain text."""

    text: str


@dataclass(slots=True)
class Action:
    """A pipeline whose result is printed. offset: where it is, in characters. inner: its text."""

    pipeline: Pipeline
    offset: int
    inner: str


@dataclass(slots=True)
class Jump:
    """`break` or `continue`."""

    word: str


@dataclass(slots=True)
class Branch:
    """`if`, `with` or `range`. otherwise: what follows `else`."""

    word: str
    pipeline: Pipeline
    offset: int
    inner: str
    body: list[Node] = field(default_factory=list)
    otherwise: list[Node] = field(default_factory=list)


Node: TypeAlias = "Text | Action | Branch | Jump"
