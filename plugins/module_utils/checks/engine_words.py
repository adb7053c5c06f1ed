# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of an engine's command line as people mistype them: what a shell would have changed, and what a word processor has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import has_shell
from ..kube.problem import Problem
from ..kube.redact import redact_argument

#: What word processors and chats put in the place of what was typed.
_DASHES = "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}"
_QUOTES = "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
_TYPOGRAPHY = re.compile(f"^[{_DASHES}]|[{_QUOTES}\N{NO-BREAK SPACE}]")
#: A variable as a shell writes it; Kubernetes itself fills in `$(NAME)`.
_SHELL_VARIABLE = re.compile(
    r"(?<!\$)\$(?:\{(?P<braced>[A-Za-z_]\w*)\}|(?P<bare>[A-Za-z_]\w*))", re.ASCII
)

#: What a shell takes away before a program sees the word: quotes around a value, blanks behind it, a comment, a backslash that continues in the
#: next line.
_AROUND = re.compile(
    r"""\A(?:(?:--?[A-Za-z][\w.-]*=)?(?P<quote>['"]).*(?P=quote)"""
    r"""|--?[A-Za-z][\w.-]*(?:=[^\s{\["']*)?(?:(?P<blank>\s+)|\s+(?P<end>#).*)"""
    r"""|(?P<comment>#).*|.*(?P<more>\\)\s*)\Z""",
    re.DOTALL | re.ASCII,
)

#: What only a shell reads: commands within a command, a home directory, redirections, and words between commands.
_SHELL_WORD = re.compile(
    r"\$\([^()\s]+\s[^()]*\)|(?<!`)`[^`\s]+[^`]*`(?!`)|(?:(?<=\A)|(?<==))~(?=/)|\A(?:&&|\|\|?|;|[0-9&]?>>?(?:&?[0-9]|\s*/\S*)?|<)\Z",
    re.ASCII,
)

TYPOGRAPHY = Check(
    "argument-typography",
    WARNING,
    finds='"{argument}" has {mark} where the engine expects one that is typed: it does not recognise the flag, or takes the mark for a part of the value',
    fix="type it again, with - and straight quotes",
)
NOT_FILLED_IN = Check(
    "argument-variable",
    WARNING,
    finds='"{argument}" reaches the engine as it is, since no shell fills in {variable}',
    fix="write $({name}), which Kubernetes fills in, and give the variable in env of the container",
)

FOR_A_SHELL = Check(
    "argument-shell",
    WARNING,
    finds='"{argument}" reaches the engine as it is, since no shell reads {mark}',
    fix="write what it stands for, or start the engine by a shell: command [sh, -c] and the whole line as one argument",
)
AROUND = Check(
    "argument-quotes",
    WARNING,
    finds='"{argument}" reaches the engine as it is, since no shell takes {mark} away',
    fix="leave {mark} out",
)
EMPTY = Check(
    "argument-empty",
    WARNING,
    finds="an empty argument reaches the engine, which takes it for a word that it does not know, and does not start",
    fix="leave it out",
)
#: How `_AROUND` calls what it finds.
_MARKS = {
    "quote": "the quotes",
    "blank": "the blank at its end",
    "comment": "the comment",
    "end": "the comment at its end",
    "more": "the backslash at its end",
}


@check(AROUND)
def around(view: ServiceView) -> Iterator[Problem]:
    """Yield words with what only a shell would take away."""
    for item, found, place in _found(view, _AROUND):
        if place.is_authors:
            yield AROUND.at(
                place, argument=redact_argument(item), mark=_MARKS[str(found.lastgroup)]
            )


@check(EMPTY, costly=True)
def empty(view: ServiceView) -> Iterator[Problem]:
    """Yield empty arguments, but for those that are the value of a flag."""
    for workload in view.serving:
        before = ""
        for number, item in enumerate(_arguments(workload)):
            value = before.startswith("-") and "=" not in before
            if (
                item == ""
                and not value
                and not (place := workload.in_engine(f"args[{number}]")).object
            ):
                yield EMPTY.at(place)
            before = str(item)


@check(FOR_A_SHELL)
def for_a_shell(view: ServiceView) -> Iterator[Problem]:
    """Yield words that only a shell reads."""
    for item, found, place in _found(view, _SHELL_WORD):
        yield FOR_A_SHELL.at(place, argument=redact_argument(item), mark=redact_argument(found[0]))


@check(TYPOGRAPHY)
def typography(view: ServiceView) -> Iterator[Problem]:
    """Yield words with typographic dashes and quotes, which were copied from a document or a chat."""
    for item, found, place in _found(view, _TYPOGRAPHY):
        yield TYPOGRAPHY.at(place, argument=redact_argument(item), mark=found[0])


@check(NOT_FILLED_IN)
def not_filled_in(view: ServiceView) -> Iterator[Problem]:
    """Yield variables in shell syntax, although no shell runs."""
    for item, found, place in _found(view, _SHELL_VARIABLE):
        name = found["braced"] or found["bare"]
        yield NOT_FILLED_IN.at(place, argument=redact_argument(item), variable=found[0], name=name)


def _found(
    view: ServiceView, pattern: re.Pattern[str]
) -> Iterator[tuple[str, re.Match[str], Place]]:
    """Yield the arguments that an author wrote, that no shell reads and that hold a pattern, each with its place."""
    for workload in view.serving:
        for number, item in enumerate(_arguments(workload)):
            found = pattern.search(item) if isinstance(item, str) else None
            # Where a word comes from is worth a look for those few alone.
            if found and not (place := workload.in_engine(f"args[{number}]")).object:
                yield item, found, place


def _arguments(workload: Workload) -> list[Any]:
    container = workload.engine_container
    return [] if has_shell(container) else list(container.get("args") or ())
