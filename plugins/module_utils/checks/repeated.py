# SPDX-License-Identifier: GPL-3.0-or-later
"""Items that stand twice in a list in which a second one changes nothing: presets, hosts, tolerations, sources of variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from ..kube.schema_check import child_path
from ..kube.schema_faults import show

#: Lists in which the same item again says something more: command lines, steps and shares of requests, and wishes, whose weights add up.
_MEANT = frozenset(
    {
        *("args", "command", "steps", "backendRefs", "filters"),
        "preferredDuringSchedulingIgnoredDuringExecution",
    }
)

#: A configuration of the picker, which has rules of its own: a scorer twice counts twice.
_OTHERS = "inline"
#: Lists in which a later item overrides earlier ones, so that one may come again behind others.
_ORDERED = frozenset({"baseRefs", "envFrom"})

TWICE = Check(
    "listed-twice",
    WARNING,
    finds="{item} is already in {first}, and has no effect a second time",
    fix="leave it out, or write what is meant in its place",
)


@check(TWICE, costly=True)
def listed_twice(view: ServiceView) -> Iterator[Problem]:
    """Yield items that the author lists twice, where one says it all."""
    for path, items in _lists(view.document.get("spec"), "spec"):
        for number, item in enumerate(items):
            first = items.index(item)
            if path.rpartition(".")[2] in _ORDERED and number - first > 1:
                continue
            # Of True and 1 Python says that they are equal.
            if first < number and type(items[first]) is type(item) and item not in ({}, "", None):
                yield TWICE.at(f"{path}[{number}]", item=_shown(item), first=f"{path}[{first}]")


def _shown(item: Any) -> str:
    name = item.get("name") if isinstance(item, dict) else item
    return show(name) if isinstance(name, str | int) else "the same item"


def _lists(value: Any, path: str) -> Iterator[tuple[str, list[Any]]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            where = child_path(path, str(key))
            if isinstance(inner, list) and key not in _MEANT:
                yield where, inner
            if key != _OTHERS:
                yield from _lists(inner, where)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _lists(inner, f"{path}[{number}]")
