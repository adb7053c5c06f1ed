# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes of the picker: whether it answers at the port that they ask.

Source: gateway-api-inference-extension cmd/epp/runner/runner.go, health.go, llm-d-inference-scheduler cmd/epp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..endpoint_picker.flags import HEALTH, PORTS, USUAL_PORTS
from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import PickerView, ServiceView
from ..kube.command_line import Flag, placed_flags
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from .picker_flags import picker_containers

_GRPC = "grpc"
_WAYS = (_GRPC, "httpGet", "tcpSocket")
#: What comes of a probe that fails for ever.
_EFFECTS: Mapping[str, str] = {
    "startupProbe": "the picker is restarted again and again",
    "readinessProbe": "the gateway has no picker to ask",
    "livenessProbe": "the picker is restarted again and again",
}

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
        answers = health.value if health else USUAL_PORTS[HEALTH[0]]
        listens = _listens(container, flags, answers)
        for probe, way, port in _asked(container):
            grpc = way == _GRPC
            if (port == answers if grpc else port in listens) or not answers.isdecimal():
                continue
            place = _place(picker, container, f"{path}.{probe}.{way}.port", path, health)
            if place.is_authors:
                known = ", ".join(sorted(filter(str.isdecimal, listens), key=int))
                says = f"answers them at port {answers} ({HEALTH[0]})"
                yield PROBED.at(
                    place,
                    probe=probe,
                    port=port,
                    answers=says if grpc else f"listens on {known}",
                    effect=_EFFECTS[probe],
                    way=f"ask port {answers}" if grpc else "ask one of these",
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


def _listens(container: Json, flags: Mapping[str, Flag], answers: str) -> set[str]:
    """Return the ports at which a picker listens, as its flags and its container say."""
    said = {flags[name].value if name in flags else USUAL_PORTS[name] for name in PORTS}
    declared = {str(each.get("containerPort")) for each in container.get("ports") or ()}
    return {*said, *declared, answers}


def _asked(container: Json) -> Iterator[tuple[str, str, str]]:
    """Yield the probes of a picker: which, in which way it asks, and the number of the port."""
    ports = container.get("ports") or ()
    named = {each.get("name"): str(each.get("containerPort")) for each in ports}
    for probe in _EFFECTS:
        for way in _WAYS:
            port = value_at(container, (probe, way, "port"))
            number = named.get(port, str(port))
            if port and number.isdecimal():
                yield probe, way, number
