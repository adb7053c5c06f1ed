# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences that are meant: each has its row in docs/differences.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

#: Rules by which a service is refused that the controller admits and then never gets done, and says so nowhere or in Go's words.
_ON_PURPOSE = frozenset({"name", "route-empty", "ca-bundle", "unknown-field"})
_CARS = ("modelcar", "modelcar-init")


def is_refused_on_purpose(problems: Sequence[Any]) -> bool:
    """Return whether we refuse for reasons of our own alone: L27, L36, L42, L44, L63, L67."""
    return {problem.rule for problem in problems} <= _ON_PURPOSE


def groups_cannot_be(problems: Sequence[Any], sent: Sequence[Json]) -> bool:
    """Return whether the API takes groups whose pods it will refuse: L11."""
    groups = any(each["kind"] == "LeaderWorkerSet" for each in sent)
    return groups and {problem.rule for problem in problems} == {"pod"}


def stops_half_way(status: Json) -> bool:
    """Return whether the controller makes nothing of the router because of what is not there: L61."""
    conditions = status.get("conditions") or ()
    return any(one.get("reason") == "RefsInvalid" for one in conditions)


def without_script(value: Json) -> Json:
    """Return a container without the shell command of a model image, which is our own: L69."""
    if value.get("name") in _CARS and len(value.get("args") or ()) == 3:
        return {**value, "args": [*value["args"][:2], "<script>"]}
    return value
