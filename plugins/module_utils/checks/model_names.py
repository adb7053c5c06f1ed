# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine calls its model, against the name by which requests ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.command_line import has_shell, words
from ..kube.problem import Problem
from ..kube.redact import redact_argument
from .engines import is_vllm, served_path

_NAME, _MODEL, _FILE = "--served-model-name", "--model", "--config"

UNNAMED = Check(
    "served-name",
    WARNING,
    finds="requests ask for the model {said} ({field}), and without --served-model-name the engine calls it {served}: they get 404",
    fix="pass --served-model-name={said} to the engine",
)
UNREAD = Check(
    "model-flag",
    WARNING,
    finds="{flag} {value} has no effect: vLLM loads the model after serve, {served}",
    fix="leave the flag out; the name by which requests ask for a model is --served-model-name",
)
AGAIN = Check(
    "argument-again",
    WARNING,
    finds='the command already has "{word}", and vLLM does not start with a word that it does not expect',
    fix="begin args with the first flag",
)
#: A word that is no flag, and that nothing else is said of: blanks, quotes and what only a shell reads have checks of their own.
_WORD = re.compile(r"[A-Za-z0-9][\w./:=-]*", re.ASCII)
STRAY = Check(
    "argument-again",
    WARNING,
    finds='"{word}" is neither a flag nor the value of one, and vLLM, which serves {served}, does not start with a second model',
    fix="leave it out, or put it right behind its flag",
)
_PROGRAM = ("vllm", "serve")


@check(AGAIN, costly=True)
def again(view: ServiceView) -> Iterator[Problem]:
    """Yield args that repeat the beginning of the command line: they follow the command."""
    for workload in view.serving:
        container = workload.engine_container
        if "serve" not in words({"command": container.get("command")}) or has_shell(container):
            continue
        for number, item in enumerate(container.get("args") or ()):
            if item in _PROGRAM:
                yield AGAIN.at(workload.in_engine(f"args[{number}]"), word=item)
                break


@check(STRAY, costly=True)
def stray(view: ServiceView) -> Iterator[Problem]:
    """Yield words that vLLM takes for another model: behind the model itself, or behind a flag that has its value already."""
    for workload in view.serving:
        container = workload.engine_container
        served = served_path(container)
        if not served or not is_vllm(container) or has_shell(container):
            continue
        before = str((container.get("command") or ("",))[-1])
        for number, item in enumerate(map(str, container.get("args") or ())):
            done = before == served or (before.startswith("--") and "=" in before)
            if done and _WORD.fullmatch(item) and item not in _PROGRAM:
                place = workload.in_engine(f"args[{number}]")
                if place.is_authors:
                    yield STRAY.at(place, word=redact_argument(item), served=served)
                    break
            before = item


@check(UNREAD, costly=True)
def unread(view: ServiceView) -> Iterator[Problem]:
    """Yield `--model` next to the model after `serve`: vLLM only reads the latter."""
    for workload in view.serving:
        container = workload.engine_container
        served = served_path(container)
        if "model" in workload.said or not served or not is_vllm(container):
            continue
        for flag in workload.flags:
            if flag.name == _MODEL and flag.value != served:
                place = workload.in_engine(flag.place)
                yield UNREAD.at(place, flag=flag.name, value=flag.value, served=served)


@check(UNNAMED, costly=True)
def unnamed(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that serve the model under its path, while the service says another name."""
    for workload in view.serving:
        said = workload.said.get("model_name")
        container = workload.engine_container
        if said is None or not is_vllm(container) or has_shell(container):
            continue
        given = {flag.name: flag.value for flag in workload.flags}
        served = served_path(container) or given.get(_MODEL)
        if _NAME in given or _FILE in given or not served or "$" in served:
            continue
        if served != said.value:
            path = workload.engine_path
            place = workload.written(f"{path}.args", f"{path}.command")
            yield UNNAMED.at(place, said=said.value, field=said.field, served=served)
