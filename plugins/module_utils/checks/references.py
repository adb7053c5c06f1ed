# SPDX-License-Identifier: GPL-3.0-or-later
"""References to variables, `$(NAME)`, that Kubernetes does not fill in.

Source: Kubernetes API reference, EnvVar v1 core and Container v1 core: a reference that cannot be resolved stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import has_shell
from ..kube.problem import Problem
from .other_engines import authored_variables

_REFERENCE = re.compile(r"(?<!\$)\$\((?P<name>[A-Za-z_][\w.-]*)\)", re.ASCII)
#: Names that can only be variables; `$(nproc)` is a command for a script that reads the text.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*", re.ASCII)
#: Variables that the kubelet makes of the Services of the namespace.
_OF_SERVICES = re.compile(r".+_(SERVICE_(HOST|PORT)(_.+)?|PORT(_.+)?)", re.ASCII)

LATER = Check(
    "variable-reference",
    WARNING,
    finds="$({name}) is not filled in: {name} is defined after {variable}, and Kubernetes only fills in earlier variables",
    fix="put {name} before it",
)
UNKNOWN = Check(
    "variable-reference",
    WARNING,
    finds="$({name}) is not filled in: the container has no variable {name}",
    fix="add it to env, before what refers to it",
)


@check(LATER, costly=True)
def later(view: ServiceView) -> Iterator[Problem]:
    """Yield references to variables that are defined later."""
    for workload in view.serving:
        env = [str(each.get("name")) for each in workload.engine_container.get("env") or ()]
        for variable, place in authored_variables(workload):
            name = str(variable.get("name"))
            before = env[: env.index(name)]
            for other in _named(variable.get("value")):
                if other in env and other not in before:
                    yield LATER.at(place, name=other, variable=name)


@check(UNKNOWN, costly=True)
def unknown(view: ServiceView) -> Iterator[Problem]:
    """Yield references to variables that the container does not have."""
    for workload in view.serving:
        container = workload.engine_container
        env = {str(each.get("name")) for each in container.get("env") or ()}
        for text, place in _texts(workload) if not container.get("envFrom") else ():
            for name in _named(text):
                if (
                    name not in env
                    and _VARIABLE.fullmatch(name)
                    and not _OF_SERVICES.fullmatch(name)
                ):
                    yield UNKNOWN.at(place, name=name)


def _texts(workload: Workload) -> Iterator[tuple[object, Place]]:
    """Yield what the author writes and Kubernetes looks for references in. A script's own references look alike."""
    for variable, place in authored_variables(workload):
        yield variable.get("value"), place
    container = workload.engine_container
    for number, item in enumerate(container.get("args") or () if not has_shell(container) else ()):
        place = workload.in_engine(f"args[{number}]")
        if place.is_authors:
            yield item, place


def _named(text: object) -> Iterator[str]:
    """Yield the variables that a text refers to, each once."""
    found = _REFERENCE.finditer(text) if isinstance(text, str) else ()
    yield from dict.fromkeys(match["name"] for match in found)
