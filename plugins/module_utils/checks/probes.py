# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes of containers: whether anything answers at the port that they ask, and in the way that they ask it.

Source: Kubernetes documentation, Configure Liveness, Readiness and Startup Probes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..accelerators.vendors import is_device
from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.containers import running_in
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engines import is_vllm, takes_flags_of_vllm
from .ports import listens

_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
_WAYS = ("httpGet", "tcpSocket", "grpc")
#: Flags with which vLLM speaks TLS, and a file in which more flags are.
_CERTIFICATE, _FILE = "--ssl-certfile", "--config"
#: What says how long a probe waits.
_PATIENCE = (".failureThreshold", ".periodSeconds", ".initialDelaySeconds")
#: How many seconds the smallest models take to load onto a device, and how many vLLM takes before it loads anything.
_LOADING, _STARTING = 60, 20

#: What the paths of probes are called in other servers, and in KServe's protocols.
_ELSEWHERE = re.compile(
    r"/?|.*/(healthz|healthcheck|health[_-]check|livez?|readyz?|liveness|readiness|alive|status)/?"
)
#: What comes of a probe that fails for ever.
_FAILS = {"readinessProbe": "the pods never become ready"}
_RESTARTS = "the container is restarted again and again"
#: What mends a probe that nobody wrote: it follows the container's first port.
_DECLARE = "declare in ports of the container on which port it listens"

NOBODY = Check(
    "probe-port",
    WARNING,
    finds="the {probe} of container {container} asks port {port}, and {what}: it never succeeds",
    fix="ask a port on which the container listens",
)
SCHEME = Check(
    "probe-scheme",
    WARNING,
    finds="{probes} of container {container} ask by {scheme}, and the engine speaks {spoken}, since {flag} is {given}: the pods never become ready",
    fix="set scheme: {spoken}",
)
NO_PATH = Check(
    "probe-path",
    WARNING,
    finds="the {probe} of container {container} asks for {path}, and vLLM has no such path: {effect}",
    fix="write /health",
)
IMPATIENT = Check(
    "probe-impatient",
    WARNING,
    finds="{probe} restarts the engine {seconds} s after its start, and loading a model takes longer",
    fix="give a startupProbe with more tries, for example failureThreshold: 60",
)


@check(NOBODY, costly=True)
def probe_port(view: ServiceView) -> Iterator[Problem]:
    """Yield probes of a port that does not exist: a name that the container does not declare, or a number on which the pod does not listen."""
    for workload in view.workloads:
        for container, path, probe, way, asked in _probes(workload):
            port = asked.get("port")
            what = _absent(workload, container, port)
            if port and what:
                place = workload.fields(f"{path}.{probe}.{way}.port")
                yield NOBODY.at(
                    place,
                    fix="" if place.exact else _DECLARE,
                    probe=probe,
                    container=container.get("name"),
                    port=port,
                    what=what,
                )


@check(SCHEME, costly=True)
def probe_scheme(view: ServiceView) -> Iterator[Problem]:
    """Yield HTTP probes of an engine with a certificate, and HTTPS probes of one without."""
    for workload in view.serving:
        container = workload.engine_container
        flags = workload.flag_names
        if not is_vllm(container) or _FILE in flags:
            continue
        spoken = "HTTPS" if _CERTIFICATE in flags else "HTTP"
        wrong = [
            (path, probe)
            for each, path, probe, way, asked in _probes(workload)
            if each is container and way == "httpGet"
            if str(asked.get("scheme") or "HTTP") != spoken
        ]
        for path, probe in wrong[:1]:
            yield SCHEME.at(
                workload.written(
                    f"{path}.{probe}.httpGet.scheme", f"{path}.args", f"{path}.command"
                ),
                probes=" and ".join(probe for dummy, probe in wrong),
                container=container.get("name"),
                scheme="HTTP" if spoken == "HTTPS" else "HTTPS",
                spoken=spoken,
                flag=_CERTIFICATE,
                given="given" if spoken == "HTTPS" else "not given",
            )


@check(NO_PATH, costly=True)
def probe_path(view: ServiceView) -> Iterator[Problem]:
    """Yield HTTP probes of vLLM that ask for a path of another server."""
    for workload in view.serving:
        for container, path, probe, way, asked in _probes(workload):
            wanted = str(asked.get("path") or "/")
            vllm = container is workload.engine_container and takes_flags_of_vllm(workload)
            if vllm and way == "httpGet" and _ELSEWHERE.fullmatch(wanted):
                yield NO_PATH.at(
                    workload.fields(f"{path}.{probe}.httpGet.path"),
                    probe=probe,
                    container=container.get("name"),
                    path=wanted,
                    effect=_FAILS.get(probe, _RESTARTS),
                )


@check(IMPATIENT, costly=True)
def impatient(view: ServiceView) -> Iterator[Problem]:
    """Yield probes of the author that restart an engine before it can load a model."""
    for workload in view.serving:
        container, path = workload.engine_container, workload.engine_path
        probe = "startupProbe" if container.get("startupProbe") else "livenessProbe"
        given = container.get(probe)
        limits = (container.get("resources") or {}).get("limits") or {}
        devices = any(map(is_device, limits))
        if not given or not (devices or is_vllm(container) or workload.usual_engine):
            continue
        seconds = given.get("initialDelaySeconds") or 0
        seconds += (given.get("periodSeconds") or 10) * (given.get("failureThreshold") or 3)
        place = workload.written(*(f"{path}.{probe}{part}" for part in ("", *_PATIENCE)))
        if seconds < (_LOADING if devices else _STARTING) and place.is_authors:
            yield IMPATIENT.at(place, probe=probe, seconds=seconds)


def _probes(workload: Workload) -> Iterator[tuple[Json, str, str, str, Json]]:
    """Yield the probes of a pod: the container, its place, which probe, in which way it asks, and what."""
    for container, path in running_in(workload.pod):
        for probe in _PROBES:
            for way in _WAYS:
                asked = (container.get(probe) or {}).get(way)
                if asked:
                    yield container, path, probe, way, asked


def _absent(workload: Workload, container: Json, port: object) -> str:
    """Return why nobody answers at a port, empty where somebody may."""
    declared = container.get("ports") or ()
    if isinstance(port, str) and not port.isdecimal():
        names = [str(each["name"]) for each in declared if each.get("name")]
        has = f"it has {', '.join(names)}" if names else "its ports have no names"
        return "" if port in names else f"none of its ports has that name ({has})"
    beside = [each for each, dummy in running_in(workload.pod)]
    silent = any(not listens(workload, each) for each in beside)
    flagged = str(port) in [flag.value for flag in workload.flags]
    if container is not workload.engine_container or silent or flagged:
        return ""
    known = sorted({number for each in beside for dummy, number in listens(workload, each)})
    return "" if int(str(port)) in known else f"its pod listens on {', '.join(map(str, known))}"
