# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences about InferenceServices that are meant: each has its row in docs/differences.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.parity.compare import Key

from .meant import is_car

Json = dict[str, Any]
#: Rules by which a service is refused that the controller admits and cannot bring up.
_ON_PURPOSE = frozenset({"unknown-field"})


def is_refused_on_purpose(problems: Sequence[Any]) -> bool:
    """Return whether we refuse for reasons of our own alone."""
    return {problem.rule for problem in problems} <= _ON_PURPOSE


def without_children(
    mine: dict[Key, Json], theirs: dict[Key, Json]
) -> tuple[dict[Key, Json], dict[Key, Json]]:
    """Return the children of both without those of which a difference is meant: I9."""
    several_nodes = any(key[1] == "Deployment" and key[3].endswith("-worker") for key in mine)
    if several_nodes:
        mine = {key: one for key, one in mine.items() if key[1] != "Ingress" or key in theirs}
    return mine, theirs


def masked_pod(pod: Json, ours: Json) -> Json:
    """Return a pod of theirs with our words in the shell commands of a model image, which are our own."""
    spec = dict(pod["spec"])
    for field in ("containers", "initContainers"):
        mine = {one["name"]: one for one in ours.get(field) or ()}
        spec[field] = [
            {**one, "args": mine[one["name"]].get("args")}
            if is_car(one) and one["name"] in mine and len(one.get("args") or ()) == 3
            else one
            for one in spec.get(field) or ()
        ]
    return {**pod, "spec": spec}
