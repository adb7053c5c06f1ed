# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags by which an engine does not answer where requests come, or not as they come: at the port of its pod, by plain HTTP.

Source: vLLM vllm/entrypoints/openai/cli_args.py and vllm/entrypoints/cli/serve.py; the page Server Arguments of SGLang.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import Flag, has_shell
from ..kube.containers import running_in
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engines import SGLANG, VLLM, engine_of

#: The address at which an engine listens, and those at which nobody outside of its pod reaches it.
_HOST, _OWN_POD = "--host", frozenset({"127.0.0.1", "localhost", "::1"})
_SOCKET, _CERTIFICATE, _ASKS = "--uds", "--ssl-certfile", "--ssl-cert-reqs"
#: Python's words for certificates of clients that are asked for, and demanded.
_DEMANDED = "2"
#: Flags by which an engine serves no API, and that by which it speaks gRPC.
_HEADLESS: Mapping[str, str | None] = {"--headless": None, "--api-server-count": "0"}
_GRPC: Mapping[str, tuple[str, ...]] = {VLLM: ("--grpc",), SGLANG: ("--grpc-mode",)}
#: Words in the names and protocols of ports.
_TLS, _RPC = "https", ("grpc", "h2c")

LOOPBACK = Check(
    "engine-value",
    WARNING,
    finds="{flag} is {value}, so the engine listens only inside its pod: neither probes nor requests reach it",
    fix="write 0.0.0.0, or leave it out, if that is the engine's default",
)
SOCKET = Check(
    "engine-unreached",
    WARNING,
    finds="with {flag} the engine listens at a socket of its own container and at no port: neither probes nor requests reach it",
    fix="leave it out",
)
HEADLESS = Check(
    "engine-unreached",
    WARNING,
    finds="with {flag} the engine answers no requests, and these pods get some: probes and requests fail",
    fix="leave it out; it is for the workers of a group",
)
GRPC = Check(
    "engine-unreached",
    WARNING,
    finds="with {flag} the engine speaks gRPC, and requests come by HTTP: they fail",
    fix="leave it out",
)
TLS = Check(
    "engine-unreached",
    WARNING,
    finds="with {flag} the engine speaks TLS, and requests come by plain HTTP: they fail",
    fix="leave it out: the gateway has the certificate for those outside",
)
CLIENTS = Check(
    "engine-unreached",
    WARNING,
    finds="with {flag} {value} the engine demands a certificate of everybody, and neither probes nor gateways have one: they fail",
    fix="leave it out",
)


@check(LOOPBACK, costly=True)
def loopback(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that listen on a loopback address only. What is in the pod beside them may be their only caller."""
    for workload, flag in _alone(view):
        if flag.name == _HOST and flag.value in _OWN_POD:
            place = workload.in_engine(flag.place)
            yield LOOPBACK.at(place, flag=flag.name, value=flag.value)


@check(SOCKET, costly=True)
def socket(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that listen at a socket of their container. What shares the socket's folder with them may call them there."""
    for workload in view.serving:
        for flag in workload.flags if engine_of(workload) == VLLM else ():
            if flag.name == _SOCKET and not _is_shared(workload, flag.value or ""):
                yield SOCKET.at(workload.in_engine(flag.place), flag=flag.name)


@check(HEADLESS, costly=True)
def headless(view: ServiceView) -> Iterator[Problem]:
    """Yield engines without an API in pods that get requests. A script may tell the pods of a group apart."""
    for workload in view.serving:
        if workload.worker or engine_of(workload) != VLLM:
            continue
        for flag in workload.flags:
            value = _HEADLESS.get(flag.name, flag.name)
            if value not in (None, flag.value) or _by_script(workload, flag):
                continue
            yield HEADLESS.at(workload.in_engine(flag.place), flag=flag.name)


@check(GRPC, costly=True)
def grpc(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that speak gRPC where HTTP is asked."""
    for workload in view.serving:
        known = _GRPC.get(engine_of(workload), ())
        asked = _asked(view, workload)
        for flag in workload.flags:
            if flag.name in known and not any(word in asked for word in _RPC):
                yield GRPC.at(workload.in_engine(flag.place), flag=flag.name)


@check(TLS, costly=True)
def tls(view: ServiceView) -> Iterator[Problem]:
    """Yield engines with a certificate that the author gives, where requests come without TLS. A proxy beside them may speak TLS to them."""
    for workload, flag in _alone(view):
        if flag.name != _CERTIFICATE or workload.worker or view.sender.value:
            continue
        place = workload.in_engine(flag.place)
        if not place.object and _TLS not in _asked(view, workload):
            yield TLS.at(place, flag=flag.name)


@check(CLIENTS, costly=True)
def clients(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that demand certificates of their clients."""
    for workload, flag in _alone(view):
        if flag.name == _ASKS and flag.value == _DEMANDED:
            place = workload.in_engine(flag.place)
            yield CLIENTS.at(place, flag=flag.name, value=flag.value)


def _alone(view: ServiceView) -> Iterator[tuple[Workload, Flag]]:
    """Yield the flags of engines that no other container of their pod can be in front of."""
    for workload in view.serving:
        if sum(1 for dummy in running_in(workload.pod)) == 1:
            yield from ((workload, flag) for flag in workload.flags)


def _is_shared(workload: Workload, path: str) -> bool:
    """Tell whether another container of a pod has the folder of a file of the engine."""
    mounts = workload.engine_container.get("volumeMounts") or ()
    volumes = {each.get("name") for each in mounts if path.startswith(f"{each.get('mountPath')}/")}
    running = (each for each, dummy in running_in(workload.pod))
    others = [each for each in running if each.get("name") != workload.engine]
    return any(
        mount.get("name") in volumes for each in others for mount in each.get("volumeMounts") or ()
    )


def _by_script(workload: Workload, flag: Flag) -> bool:
    container = workload.engine_container
    of_command = "-c" in (container.get("command") or ()) and flag.place.startswith("command")
    return of_command or has_shell(container)


def _asked(view: ServiceView, workload: Workload) -> str:
    """Return how requests come to pods, as their ports and those of their Services are called."""
    said = [
        f"{port.get('name')} {port.get('appProtocol')}"
        for service in view.made_of("v1", "Service")
        if _selects(service, workload)
        for port in service["spec"].get("ports") or ()
    ]
    ports = workload.engine_container.get("ports") or ()
    said += [str(port.get("name")) for port in ports]
    return " ".join(said)


def _selects(service: Json, workload: Workload) -> bool:
    selector = (service.get("spec") or {}).get("selector") or {}
    return bool(selector) and selector.items() <= workload.labels.items()
