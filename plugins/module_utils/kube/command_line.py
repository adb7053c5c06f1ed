# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of a container, as the program in it reads it: words, also those of a shell's script, and flags with their values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

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


def has_shell(container: Json) -> bool:
    """Tell whether a shell splits a container's arguments into words."""
    command = [str(word) for word in container.get("command") or ()]
    return bool(command) and command[-1] == "-c"


class Flag(NamedTuple):
    """A word of a command line with what may be its value. place: the item that holds it, for example `args[3]`, or `env[0]` of a variable."""

    name: str
    value: str
    place: str


def placed_flags(container: Json) -> Iterator[Flag]:
    """Yield each word that begins with a dash: `--a=1` and `--a 1` give the flag `--a` with the value `1`.

    Underscores are dashes, as engines read them. A value that is a variable counts where the variable is in the container, and is
    empty elsewhere. A word that a shell fills in becomes the words of the variable.
    """
    env = container.get("env") or ()
    values = {each.get("name"): str(each.get("value", "")) for each in env}
    numbers = {each.get("name"): number for number, each in enumerate(env)}
    placed = [
        each
        for field in ("command", "args")
        for number, item in enumerate(container.get(field) or ())
        for word in _WORD.findall(str(item))
        for each in _filled_in(word, f"{field}[{number}]", values, numbers)
    ]
    for (word, place), (following, dummy) in pairwise([*placed, ("", "")]):
        if word.startswith("-"):
            flag, equals, value = word.partition("=")
            yield Flag(
                flag.replace("_", "-"),
                _resolved(value if equals or following == "=" else following, values),
                place,
            )


def _filled_in(
    word: str, place: str, values: Mapping[Any, str], numbers: Mapping[Any, int]
) -> Iterator[tuple[str, str]]:
    """Yield a word with its place, in place of a variable of a shell what the container gives it."""
    match = _VARIABLE.fullmatch(word) if word.startswith("$") else None
    name = (match["braces"] or match["bare"]) if match else None
    inner = _WORD.findall(values.get(name, "")) if name else []
    yield from ((each, f"env[{numbers[name]}]") for each in inner)
    if not inner:
        yield word, place


def flags(container: Json) -> Iterator[tuple[str, str]]:
    """Yield each flag with its value, as `placed_flags` reads them."""
    for flag in placed_flags(container):
        yield flag.name, flag.value


def written(container: Json, flag: str) -> str:
    """Return what a flag gets as it is written, quotes and blanks included, empty where it is in a longer item or nowhere."""
    items = [str(item) for field in ("command", "args") for item in container.get(field) or ()]
    for number, item in enumerate(items):
        name, equals, value = item.partition("=")
        if name.replace("_", "-") == flag:
            return value if equals else next(iter(items[number + 1 : number + 2]), "")
    return ""


def is_in_quotes(text: str) -> bool:
    """Tell whether the whole of a text is in quotes of its own, which no shell has taken away."""
    mark = text[:1]
    return len(text) > 1 and mark in ("'", '"') and text.endswith(mark)


def written_object(container: Json, flag: str) -> Json | None:
    """Return the JSON object that a flag gets, None where there is none that can be read."""
    try:
        found = json.loads(written(container, flag))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _resolved(value: str, variables: Mapping[str, str]) -> str:
    match = _VARIABLE.fullmatch(value)
    return variables.get(next(filter(None, match.groups())), "") if match else value
