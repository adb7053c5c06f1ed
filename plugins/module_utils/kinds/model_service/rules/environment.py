# SPDX-License-Identifier: GPL-3.0-or-later
"""Environment of the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kube.problem import Problem
from ....kube.schema_check import related
from ....kube.schema_faults import show
from ....kube.validation.env import env_problems
from ..children.vllm import OPENS_NIXL_PORT
from ..settings import Settings
from ..spec import ModelService

_PATH = "spec.engine.env"
_REFERENCE = re.compile(r"\$\(([^()]+)\)")

#: What the engine gets before the author's own variables.
COMPUTED = ("TP_SIZE", "DP_SIZE", "DP_SIZE_LOCAL")
#: The emptyDir volumes that all engine pods have.
EMPTY_DIRS = ("model", "model-tmp")
NIXL_PORT = "VLLM_NIXL_SIDE_CHANNEL_PORT"


def unsent(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse what is wrong with variables and never reaches a container: those given again later, an empty name or source."""
    env = service.engine.env
    last = {variable["name"]: number for number, variable in enumerate(env)}
    hidden = [
        f"{_PATH}[{number}]"
        for number, variable in enumerate(env)
        if last[variable["name"]] != number
        or not variable["name"]
        or variable.get("valueFrom") == {}
    ]
    for problem in env_problems(env, _PATH, EMPTY_DIRS):
        if related(problem.path, hidden):
            yield problem


def repeated(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of variables that occur twice (docs/differences.md, W57). The last value has an effect, the others are left out.

    Create takes them, server-side apply does not. Refused where another variable reads a value that would be left out.
    """
    names = [variable["name"] for variable in service.engine.env]
    last = {name: number for number, name in enumerate(names)}
    for number, name in enumerate(names):
        if last[name] == number:
            continue
        readers = _readers(service, name, number + 1, last[name])
        if readers:
            message = f"{name} is given twice, and {readers} reads the first value; give one of them another name"
            yield Problem(f"{_PATH}[{number}]", message, rule="env-duplicate")
        else:
            message = f"{name} is given again in {_PATH}[{last[name]}]; only the last one has an effect, this one is left out"
            yield Problem(f"{_PATH}[{number}]", message, "warning", rule="env-duplicate")


def computed(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of variables that replace a computed one; refused where another variable reads the computed value."""
    last = {variable["name"]: number for number, variable in enumerate(service.engine.env)}
    for name in (name for name in COMPUTED if name in last):
        readers = _readers(service, name, 0, last[name])
        where = f"{_PATH}[{last[name]}]"
        if readers:
            message = f"{name} is computed, and {readers} reads the computed value before it is replaced; leave it out"
            yield Problem(where, message, rule="env-computed")
        else:
            message = f"{name} is computed from parallelism; this value takes its place. Set parallelism instead"
            yield Problem(where, message, "warning", rule="env-computed")


def _readers(service: ModelService, name: str, first: int, last: int) -> str:
    between = service.engine.env[first:last]
    return ", ".join(v["name"] for v in between if name in _REFERENCE.findall(v.get("value", "")))


def nixl_port(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Warn of a side-channel port that is none, where the release opens it."""
    if not OPENS_NIXL_PORT.at(settings.release):
        return
    for number, variable in enumerate(service.engine.env):
        value = variable.get("value")
        if variable["name"] != NIXL_PORT or value is None or "$(" in value:
            continue
        if not re.fullmatch(r"\+?[0-9]{1,6}", value, re.ASCII) or not 1 <= int(value) <= 65535:
            message = f"{NIXL_PORT} is {show(value)}, which is not a port from 1 to 65535; no container port is opened"
            yield Problem(f"{_PATH}[{number}].value", message, "warning", rule="nixl-port")
