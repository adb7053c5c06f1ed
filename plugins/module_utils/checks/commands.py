# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of containers: a line that no shell splits, and arguments next to a script, of which most scripts read none.

Source: POSIX.1-2024, Shell and Utilities, sh.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.containers import containers_of, running_in
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.redact import redact_argument
from ..kube.schema_faults import show

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
#: `-c` by itself or with others, as in `-ec`.
_OPTION = re.compile(r"-[a-z]*c")
#: How a script reads its arguments.
_READS = re.compile(r"\$\{?[@*#0-9]|\bshift\b|\bgetopts\b|\bOPTARG\b")

UNREAD = Check(
    "no-effect",
    WARNING,
    finds='"{argument}" has no effect: the container {container} runs a script, which reads none of its arguments',
    fix="write it into the script",
)
NO_SCRIPT = Check(
    "argument-script",
    WARNING,
    finds='the container {container} starts a shell, which runs "{argument}" as its script: no engine starts',
    fix="write the whole script there, or give the command of the engine, too",
)
#: The name of a program may hold a blank, though nobody's does; so this alone is no error.
LINE = Check(
    "command-line",
    WARNING,
    finds="{word} is taken as the name of one program, since no shell splits it: the container does not start",
    fix="write one word per item, or have a shell run the line: sh, -c and the line",
)


class _Script(NamedTuple):
    """What a shell gets. text: the item that is run. place: where it is. rest: the items behind it, each with its place."""

    text: str
    place: str
    rest: Sequence[tuple[str, str]]


@check(UNREAD, costly=True)
def unread(view: ServiceView) -> Iterator[Problem]:
    """Yield arguments of the author that the container's script does not read."""
    for workload, container, path, script in _scripts(view):
        for item, place in () if _READS.search(script.text) else script.rest:
            where = workload.fields(f"{path}.{place}")
            if where.is_authors:
                yield UNREAD.at(where, argument=_shown(item), container=container.get("name"))
                break


@check(NO_SCRIPT, costly=True)
def no_script(view: ServiceView) -> Iterator[Problem]:
    """Yield flags of the author where a shell expects its script."""
    for workload, container, path, script in _scripts(view):
        where = workload.fields(f"{path}.{script.place}")
        if script.text.startswith("-") and where.is_authors:
            name = container.get("name")
            yield NO_SCRIPT.at(where, argument=_shown(script.text), container=name)


@check(LINE, costly=True)
def line(view: ServiceView) -> Iterator[Problem]:
    """Yield commands whose first item is a whole command line."""
    for workload in view.workloads:
        for container, path in running_in(workload.pod):
            word = str(next(iter(container.get("command") or ()), ""))
            place = workload.fields(f"{path}.command[0]")
            if len(word.split()) > 1 and place.is_authors:
                yield LINE.at(place, word=show(word))


def _scripts(view: ServiceView) -> Iterator[tuple[Workload, Json, str, _Script]]:
    """Yield the containers that start a shell with a script: the workload, the container with its place, and the script."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            script = _script(container)
            if script is not None:
                yield workload, container, path, script


def _script(container: Json) -> _Script | None:
    """Return what a container's shell runs, None where it starts none with a script."""
    items = [
        (str(item), f"{part}[{number}]")
        for part in ("command", "args")
        for number, item in enumerate(container.get(part) or ())
    ]
    if not items or items[0][0].rpartition("/")[2] not in _SHELLS:
        return None
    for number, (item, dummy) in enumerate(items[1:], 1):
        if _OPTION.fullmatch(item) and number + 1 < len(items):
            script, place = items[number + 1]
            return _Script(script, place, items[number + 2 :])
        if not item.startswith("-"):
            return None
    return None


def _shown(item: str) -> str:
    return next(iter(redact_argument(item).splitlines()), "")
