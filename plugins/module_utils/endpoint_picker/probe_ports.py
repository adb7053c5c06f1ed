# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes of a picker's container that ask where it does not answer them.

Source: gateway-api-inference-extension cmd/epp/runner/runner.go, health.go, llm-d-inference-scheduler cmd/epp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..kube.manifest import Json, value_at
from .findings import Finding, warning
from .flags import HEALTH, PORTS, USUAL_PORTS

_GRPC = "grpc"
_WAYS = (_GRPC, "httpGet", "tcpSocket")
_RESTARTED = "the picker is restarted again and again"
#: What comes of a probe that fails for ever.
_EFFECTS: Mapping[str, str] = {
    "startupProbe": _RESTARTED,
    "readinessProbe": "the gateway has no picker to ask",
    "livenessProbe": _RESTARTED,
}


class WrongProbe(NamedTuple):
    """A probe that never succeeds. path: of its port in the container. answers: what the picker does instead. way: what mends it."""

    probe: str
    path: str
    port: str
    answers: str
    effect: str
    way: str


def wrong_probes(container: Json, flags: Mapping[str, str]) -> Iterator[WrongProbe]:
    """Yield the probes of a picker that ask another port. flags: by their names with dashes; a value that is no number is not known."""
    health = next((flags[name] for name in HEALTH if name in flags), USUAL_PORTS[HEALTH[0]])
    said = {flags.get(name, USUAL_PORTS[name]) for name in PORTS}
    declared = {str(each.get("containerPort")) for each in container.get("ports") or ()}
    listens = {*said, *declared, health}
    known = ", ".join(sorted(filter(str.isdecimal, listens), key=int))
    for probe, way, port in _asked(container):
        grpc = way == _GRPC
        if (port == health if grpc else port in listens) or not health.isdecimal():
            continue
        yield WrongProbe(
            probe,
            f"{probe}.{way}.port",
            port,
            f"answers them at port {health} ({HEALTH[0]})" if grpc else f"listens on {known}",
            _EFFECTS[probe],
            f"ask port {health}" if grpc else "ask one of these",
        )


def probe_findings(container: Json, flags: Mapping[str, str], path: str) -> Iterator[Finding]:
    """Yield findings about the probes of a Deployment's picker. flags: without dashes. path: of the container."""
    for each in wrong_probes(container, {f"--{name}": value for name, value in flags.items()}):
        message = (
            f"the {each.probe} asks port {each.port}, and the picker {each.answers}: {each.effect}"
        )
        yield warning("probe-port", f"{path}.{each.path}", each.port, message, each.way)


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
