# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of Switches: steps that are never taken, since another one takes their requests.

Source: KServe cmd/router/main.go@v0.17.0 (the first step whose condition the request meets is taken).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.problem import Problem
from ...kube.schema_faults import show
from ..check import WARNING, Check, check
from ..view import ServiceView
from .spec import SWITCH, node_path

SHADOWED = Check(
    "graph-condition",
    WARNING,
    finds="{first} has the condition {condition}, too, and a Switch takes the first step that fits: this one never gets a request",
    fix="write another condition, or take one of them out",
)


@check(SHADOWED)
def shadowed(view: ServiceView) -> Iterator[Problem]:
    """Yield steps of a Switch with the condition of an earlier one."""
    for node, value in view.basis.graph.spec["nodes"].items():
        seen: dict[str, str] = {}
        for number, step in enumerate(value.get("steps") or ()):
            condition, path = step.get("condition"), f"{node_path(node)}.steps[{number}]"
            if value["routerType"] != SWITCH or not condition:
                continue
            first = seen.setdefault(condition, path)
            if first != path:
                yield SHADOWED.at(f"{path}.condition", first=first, condition=show(condition))
