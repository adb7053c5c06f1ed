# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands by which an author replaces what a preset or runtime starts: what that said is lost, or another program gets it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import flags
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engines import KSERVE, VLLM, by_command, by_image
from .vllm_names import flags as flags_of_vllm

#: What a template adds only sometimes.
_SOMETIMES = re.compile(r"\{\{-?\s*(?:if|with|range)\b.*?\{\{-?\s*end\s*-?\}\}", re.DOTALL)
_HUB_SERVER = "huggingfaceserver"
#: What an engine is called without it is told by itself.
_TOLD = "--served-model-name"
#: What starts the engine, at the end of a script.
_START = "vllm serve"

LOST = Check(
    "command-replaced",
    WARNING,
    finds="the command here replaces that of {object} as a whole, so {lost} {verb} lost",
    fix="give {them} in args as well, or leave the command out and write only more args",
)
OTHERS_ARGUMENTS = Check(
    "command-replaced",
    WARNING,
    finds="the command here starts {engine}, and {object} still gives it arguments for {usual}, for example {argument}",
    fix="leave the command out, or choose or write one that starts {engine} itself",
)


@check(LOST, costly=True)
def lost(view: ServiceView) -> Iterator[Problem]:
    """Yield commands of the author that start the same engine without flags that the replaced command has."""
    for workload in _replacing(view):
        name, command = _replaced(view, workload, "command")
        if not name:
            continue
        args = _replaced(view, workload, "args")[1]
        started = {"command": [*map(_always, command)], "args": [*map(_always, args)]}
        gone = [
            flag
            for flag in dict.fromkeys(flag for flag, dummy in flags(_launch(started)))
            if flag.removeprefix("--") in flags_of_vllm()
            and flag not in (*workload.flag_names, _TOLD)
        ]
        if gone and by_command(started) == by_command(workload.engine_container) == VLLM:
            yield LOST.at(
                workload.in_engine("command"),
                object=name,
                lost=", ".join(gone),
                verb="is" if len(gone) == 1 else "are",
                them="it" if len(gone) == 1 else "them",
            )


@check(OTHERS_ARGUMENTS, costly=True)
def arguments_of_another(view: ServiceView) -> Iterator[Problem]:
    """Yield commands of the author that start another engine than the one for which a runtime or preset has arguments."""
    for workload in _replacing(view):
        container = workload.engine_container
        engine = by_command({"command": container["command"]})
        command = _replaced(view, workload, "command")[1]
        usual = by_command({"command": command}) if command else _by_itself(workload)
        if not (engine and usual) or engine == usual:
            continue
        # Those of a template are no longer as they are written.
        owner = _replaced(view, workload, "args")[0] or "the runtime"
        for number, item in enumerate(container.get("args") or ()):
            place = workload.in_engine(f"args[{number}]")
            if not place.is_authors:
                yield OTHERS_ARGUMENTS.at(
                    workload.in_engine("command"),
                    engine=engine,
                    object=place.object or owner,
                    usual=usual,
                    argument=item,
                )
                break


def _by_itself(workload: Workload) -> str:
    """Return the engine that an image starts without a command, as its name or a known runtime tells."""
    known = by_image(workload.engine_container)
    said = workload.said.get("server")
    return known or (KSERVE if said and said.value.startswith(_HUB_SERVER) else "")


def _replacing(view: ServiceView) -> Iterator[Workload]:
    """Yield the workloads whose engine's command is the author's."""
    for workload in view.serving:
        if workload.engine_container.get("command") and workload.in_engine("command").is_authors:
            yield workload


def _replaced(view: ServiceView, workload: Workload, field: str) -> tuple[str, Sequence[Any]]:
    """Return which preset or runtime writes something else in a field of the engine, and what; nothing where none does."""
    return next(iter(view.beneath(workload, field)), ("", ()))


def _always(item: object) -> str:
    return _SOMETIMES.sub("", str(item))


def _launch(container: Json) -> Json:
    """Return what starts the engine of a command line, without what a script does before."""
    text = " ".join([*container["command"], *container["args"]])
    return {"args": [text.rpartition(_START)[2]]}
