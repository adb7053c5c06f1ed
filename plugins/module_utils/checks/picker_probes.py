# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes of the picker: whether it answers at the port that they ask."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoint_picker.flags import HEALTH
from ..endpoint_picker.probe_ports import wrong_probes
from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import PickerView, ServiceView
from ..kube.command_line import Flag, placed_flags
from ..kube.manifest import Json
from ..kube.problem import Problem
from .picker_flags import picker_containers

PROBED = Check(
    "probe-port",
    WARNING,
    finds="the {probe} of the picker asks port {port}, and it {answers}: {effect}",
    fix="{way}",
)


@check(PROBED, costly=True)
def picker_probe(view: ServiceView) -> Iterator[Problem]:
    """Yield probes of the picker that ask where it does not answer them."""
    picker = view.picker
    if picker is None:
        return
    for path, container in picker_containers(picker):
        flags = {flag.name: flag for flag in placed_flags(container)}
        health = next((flags[name] for name in HEALTH if name in flags), None)
        for each in wrong_probes(container, {name: flag.value for name, flag in flags.items()}):
            place = _place(picker, container, f"{path}.{each.path}", path, health)
            if place.is_authors:
                yield PROBED.at(
                    place,
                    probe=each.probe,
                    port=each.port,
                    answers=each.answers,
                    effect=each.effect,
                    way=each.way,
                )


def _place(
    picker: PickerView, container: Json, asked: str, path: str, health: Flag | None
) -> Place:
    """Return where the author says where probes ask, or else where the picker answers: another port than declared ones is told of the flag."""
    place = picker.workload.fields(asked)
    declared = {str(each.get("containerPort")) for each in container.get("ports") or ()}
    if place.is_authors or health is None or health.value not in declared:
        return place
    return picker.workload.fields(f"{path}.{health.place}")
