# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of a container, as the program in it reads it: words, also those of a shell's script, and flags with their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from .manifest import Json

_WORD = re.compile(r"[^\s\"']+")
_VARIABLE = re.compile(r"\$(?:\((?P<k8s>\w+)\)|\{(?P<braces>\w+)\}|(?P<bare>\w+))", re.ASCII)


def words(container: Json) -> list[str]:
    """Return the words of a container's command and arguments, without quotes."""
    return [
        word
        for field in ("command", "args")
        for item in container.get(field) or ()
        for word in _WORD.findall(str(item))
    ]


class Flag(NamedTuple):
    """A word of a command line with what may be its value. place: the item that holds it, for example `args[3]`."""

    name: str
    value: str
    place: str


def placed_flags(container: Json) -> Iterator[Flag]:
    """Yield each word that begins with a dash: `--a=1` and `--a 1` give the flag `--a` with the value `1`.

    Underscores are dashes, as engines read them. A value that is a variable counts where the variable stands in the container, and is
    empty elsewhere.
    """
    values = {each.get("name"): str(each.get("value", "")) for each in container.get("env") or ()}
    placed = [
        (word, f"{field}[{number}]")
        for field in ("command", "args")
        for number, item in enumerate(container.get(field) or ())
        for word in _WORD.findall(str(item))
    ]
    for (word, place), (following, dummy) in pairwise([*placed, ("", "")]):
        if word.startswith("-"):
            flag, equals, value = word.partition("=")
            yield Flag(
                flag.replace("_", "-"), _resolved(value if equals else following, values), place
            )


def flags(container: Json) -> Iterator[tuple[str, str]]:
    """Yield each flag with its value, as `placed_flags` reads them."""
    for flag in placed_flags(container):
        yield flag.name, flag.value


def written(container: Json, flag: str) -> str:
    """Return what a flag gets as it is written, quotes and blanks included, empty where it stands in a longer item or nowhere."""
    items = [str(item) for field in ("command", "args") for item in container.get(field) or ()]
    for number, item in enumerate(items):
        name, equals, value = item.partition("=")
        if name.replace("_", "-") == flag:
            return value if equals else next(iter(items[number + 1 : number + 2]), "")
    return ""


def _resolved(value: str, variables: Mapping[str, str]) -> str:
    match = _VARIABLE.fullmatch(value)
    return variables.get(next(filter(None, match.groups())), "") if match else value
