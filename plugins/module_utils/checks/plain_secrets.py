# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets that are in a service itself, where everybody who may read it reads them: in arguments, variables, annotations, addresses.

What a name or a form tells to be a secret is what messages and diffs hide (`kube/secret_forms.py`); here it also has to look like one, since
a variable of that name may hold a path, a number, or the name of a Secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.containers import containers_of
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.redact import LAST_APPLIED
from ..kube.schema_check import child_path
from ..kube.secret_forms import hide_forms, is_secret_field, is_secret_name, split_argument

#: Names that end so have the secret itself, and not a file or a limit.
_ENDS = re.compile(
    r"(?i).*(token|(api|access|secret|private|signing|encryption|auth|account)[-_.]?key|passw(or)?d|passphrase|pwd|secret|credentials?)[0-9]*"
)
#: Names that may hold the name of a Secret as well, and what such a name looks like.
_MAY_REFER = re.compile(r"(?i).*(secret|credentials?)[0-9]*")
_OBJECT_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
#: Paths, addresses, numbers, and what Kubernetes or a shell fills in.
_OTHER = re.compile(
    r"(\.{0,2}|~)/.*|[a-z0-9+]+://.*|[0-9.]+[A-Za-z%]{0,3}|.*\$[({A-Za-z_].*|.*\s.*", re.DOTALL
)
_PLACEHOLDERS = frozenset({"disabled", "optional", "required", "not-needed", "placeholder"})
_SHORTEST = 8
#: Maps whose keys are names that somebody chose.
_NAMED = ("annotations", "labels")

PLAIN = Check(
    "secret-in-text",
    WARNING,
    finds="there is a secret in plain text in {name}: everyone who may read the service or its pods can read it",
    fix="keep it in a Secret{way}",
)
#: What is not called by a name of its own.
_A_PART = "this argument"
_BY_VARIABLE = " and take it with valueFrom.secretKeyRef"
_BY_ARGUMENT = ", give it to the container as a variable with valueFrom.secretKeyRef, and write $(NAME) of that variable here"
#: Parts of containers with texts of somebody.
_OF_CONTAINERS = ("command", "args", "env")


class _Text(NamedTuple):
    """A text of a service. name: what it is the value of. tells: whether that name is one of a secret. way: how a Secret gets there."""

    name: str
    text: str
    path: str
    way: str = ""
    tells: bool = False


@check(PLAIN, costly=True)
def plain_secret(view: ServiceView) -> Iterator[Problem]:
    """Yield texts of the author that hold a secret."""
    for part in ("metadata", "spec"):
        for each in _texts(view.document.get(part) or {}, part):
            if _holds_secret(each):
                yield PLAIN.at(each.path, name=each.name, way=each.way)


@check(PLAIN, costly=True)
def lent_secret(view: ServiceView) -> Iterator[Problem]:
    """Yield texts of a preset, baseRef or runtime that hold a secret."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            parts = {name: container[name] for name in _OF_CONTAINERS if container.get(name)}
            for each in _texts(parts, path):
                place = workload.fields(each.path) if _holds_secret(each) else None
                if place and place.object:
                    yield PLAIN.at(place, name=each.name, way=each.way)


def _holds_secret(each: _Text) -> bool:
    found: list[str] = []

    def note(secret: str) -> str:
        found.append(secret)
        return secret

    hide_forms(each.text, note)
    if each.tells and _ENDS.fullmatch(each.name):
        found.append(each.text)
    refers = _MAY_REFER.fullmatch(each.name) is not None
    return any(_looks_secret(secret, refers=refers) for secret in found)


def _looks_secret(text: str, *, refers: bool) -> bool:
    """Tell whether a text may be a secret. refers: it may be the name of one as well."""
    if len(text) < _SHORTEST or _OTHER.fullmatch(text) or text.lower() in _PLACEHOLDERS:
        return False
    return not (refers and _OBJECT_NAME.fullmatch(text))


def _texts(value: Any, path: str) -> Iterator[_Text]:
    """Yield the texts below a part of a service."""
    if isinstance(value, dict):
        yield from _of_map(value, path)
    elif isinstance(value, list):
        yield from _of_list(value, path)


def _of_map(value: Json, path: str) -> Iterator[_Text]:
    named = path.rpartition(".")[2] in _NAMED
    variable = value.get("name")
    for key, inner in value.items():
        where = child_path(path, str(key))
        if not isinstance(inner, str):
            yield from _texts(inner, where)
        elif key == "value" and isinstance(variable, str):
            yield _Text(variable, inner, path, _BY_VARIABLE, is_secret_name(variable))
        elif key != LAST_APPLIED:
            tells = is_secret_name(key) if named else is_secret_field(key)
            yield _Text(str(key), inner, where, tells=tells)


def _of_list(items: list[Any], path: str) -> Iterator[_Text]:
    """Yield the texts of a list. Of arguments, the value of a flag is in the item itself or in the one after it."""
    flag = ""
    for number, item in enumerate(items):
        where = f"{path}[{number}]"
        if not isinstance(item, str):
            yield from _texts(item, where)
            continue
        head, value = split_argument(item)
        name = (head or "").rstrip("= ")
        if name and value:
            yield _Text(name, value, where, _BY_ARGUMENT, tells=True)
        elif flag and not item.startswith("-"):
            yield _Text(flag, item, where, _BY_ARGUMENT, tells=True)
        else:
            yield _Text(_A_PART, item, where, _BY_ARGUMENT)
        flag = name if name and value is None else ""
