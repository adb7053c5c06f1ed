# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags on the command line of an engine: vLLM, SGLang, and those that read theirs alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import takewhile

from ..kinds.check import WARNING, Check, check
from ..kinds.engine_flags import MEANINGS
from ..kinds.field_map import Place
from ..kinds.view import Said, ServiceView, Workload
from ..kube.command_line import Flag, has_shell
from ..kube.problem import Problem
from ..kube.redact import redact_argument

#: Variables that no engine reads, only the start scripts of presets: their content is meant as flags.
#: Source: KServe config/llmisvcconfig@v0.18.0.
SCRIPT_VARIABLES = ("VLLM_ADDITIONAL_ARGS",)
#: Flags that engines take several times.
_REPEATED = frozenset(
    {"--middleware", "--lora-modules", "--load-model", "--model-repository", "--backend-config"}
)
#: It takes several words.
_NAMES = "--served-model-name"
_FLAG = re.compile(r"--[A-Za-z][A-Za-z0-9_.-]*(=.*)?")
_FLAG_AND_VALUE = re.compile(r"(?P<flag>--?[A-Za-z][A-Za-z0-9_.-]*)\s+(?P<value>\S.*)", re.DOTALL)

BLANK = Check(
    "argument-blank",
    WARNING,
    finds='"{argument}" reaches the engine as one word, since no shell splits it',
    fix="{way}",
)
COMPUTED = Check(
    "argument-computed",
    WARNING,
    finds="{flag} says {value} and {field} says {said}: the engine follows the flag, while ports, pool and devices follow the field",
    fix="set the field and leave the flag out",
)
UNREAD_VARIABLE = Check(
    "no-effect",
    WARNING,
    finds="{name} has no effect: no command of the container {engine} reads the variable, and the engine itself does not know it",
    fix="write its flags into {args}",
)
TWICE = Check(
    "argument-twice",
    WARNING,
    finds='{flag} is "{value}" here and "{other}" in {object}, and the engine gets both',
    fix="leave it out here, or take it out there",
)

AGAIN = Check(
    "argument-twice",
    WARNING,
    finds='{flag} is "{value}" here and "{other}" in {place}, and the engine follows only the last',
    fix="keep one of them",
)


@check(BLANK)
def blank(view: ServiceView) -> Iterator[Problem]:
    """Yield flags in one item with their value: no shell splits the item, so the engine sees one word."""
    for workload in view.serving:
        if has_shell(workload.engine_container):
            continue
        for number, item in enumerate(workload.engine_container.get("args") or ()):
            if isinstance(item, str) and item.startswith("-") and _FLAG_AND_VALUE.fullmatch(item):
                shown = redact_argument(item)
                match = _FLAG_AND_VALUE.fullmatch(shown)
                place = workload.in_engine(f"args[{number}]")
                yield BLANK.at(place, argument=shown, way=_apart(match) if match else "")


def _apart(match: re.Match[str]) -> str:
    """Return how to write a flag and its value, or several flags in one item."""
    words = match.string.split()
    if any(_FLAG.fullmatch(word) for word in words[1:]):
        return f"write one word per item: {', '.join(map(json.dumps, words))}"
    flag, value = match["flag"], match["value"].lstrip("= ")
    return f'write "{flag}={value}", or two items, "{flag}" and "{value}"'


@check(COMPUTED)
def computed(view: ServiceView) -> Iterator[Problem]:
    """Yield flags that contradict a field: ports, selectors and devices follow the field, the engine the flag."""
    for workload in view.serving:
        for flag, said, place in _contradictions(workload):
            name = spelt(workload, flag)
            yield COMPUTED.at(place, flag=name, value=flag.value, field=said.field, said=said.value)


def contradicts(workload: Workload) -> bool:
    """Tell whether a flag says something else than the field of the resource: that has to be mended first."""
    return any(True for dummy in _contradictions(workload))


def _contradictions(workload: Workload) -> Iterator[tuple[Flag, Said, Place]]:
    for flag in workload.flags:
        said = workload.said.get(MEANINGS.get(flag.name, ""))
        if said is not None and flag.value not in ("", said.value):
            if flag.name == _NAMES and said.value in _words_after(workload, flag):
                continue
            place = workload.in_engine(flag.place)
            if not place.object:
                yield flag, said, place


@check(UNREAD_VARIABLE)
def unread_variable(view: ServiceView) -> Iterator[Problem]:
    """Yield variables that only the start scripts of presets read, where no script does."""
    for workload in view.serving:
        container = workload.engine_container
        words = " ".join(
            str(word) for part in ("command", "args") for word in container.get(part) or ()
        )
        for number, variable in enumerate(container.get("env") or ()):
            name = variable.get("name")
            if name in SCRIPT_VARIABLES and name not in words:
                place = workload.in_engine(f"env[{number}]")
                args = workload.in_engine("args").field
                yield UNREAD_VARIABLE.at(place, name=name, engine=workload.engine, args=args)


@check(TWICE)
def twice(view: ServiceView) -> Iterator[Problem]:
    """Yield flags that the author and a preset or runtime give with different values: both are passed on, the author's last."""
    for workload in view.serving:
        first: dict[str, Flag] = {}
        for flag in workload.flags:
            if not flag.name.startswith("--"):
                continue
            other = first.setdefault(flag.name, flag)
            said = MEANINGS.get(flag.name) in workload.said
            if said or other.value == flag.value or flag.name in _REPEATED:
                continue
            theirs, ours = workload.in_engine(other.place), workload.in_engine(flag.place)
            if theirs.object and not ours.object:
                yield TWICE.at(
                    ours,
                    flag=spelt(workload, flag),
                    value=flag.value,
                    other=other.value,
                    object=theirs.object,
                )


@check(AGAIN)
def again(view: ServiceView) -> Iterator[Problem]:
    """Yield flags that the author gives twice with different values."""
    for workload in view.serving:
        first: dict[str, Flag] = {}
        for flag in workload.flags:
            other = first.setdefault(flag.name, flag)
            if (
                other.value == flag.value
                or flag.name in _REPEATED
                or not flag.name.startswith("--")
            ):
                continue
            earlier, later = workload.in_engine(other.place), workload.in_engine(flag.place)
            # What a controller adds has no place of its own in the author's list.
            places = {each.field for each in (earlier, later) if each.field.endswith("]")}
            if len(places) > 1 and not (earlier.object or later.object):
                yield AGAIN.at(
                    later,
                    flag=spelt(workload, flag),
                    value=flag.value,
                    other=other.value,
                    place=earlier.field,
                )


def _words_after(workload: Workload, flag: Flag) -> list[str]:
    """Return the words between a flag that is written by itself and the next one: a model may have several names."""
    field, number = flag.place.removesuffix("]").split("[")
    following = workload.engine_container[field][int(number) + 1 :]
    return list(takewhile(lambda word: not word.startswith("-"), map(str, following)))


def spelt(workload: Workload, flag: Flag) -> str:
    """Return a flag as it is written."""
    field, number = flag.place.removesuffix("]").split("[")
    item = str(workload.engine_container[field][int(number)])
    words = (word.partition("=")[0] for word in item.split())
    return next((word for word in words if word.replace("_", "-") == flag.name), flag.name)
