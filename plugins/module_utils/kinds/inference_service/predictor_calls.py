# SPDX-License-Identifier: GPL-3.0-or-later
"""How a transformer or explainer calls the predictor, where its own arguments say so.

Source: KServe python/kserve/kserve/model_server.py and pkg/controller/v1beta1/inferenceservice/components/transformer.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.command_line import Flag, placed_flags
from ...kube.problem import Problem
from ..check import WARNING, Check, check
from ..field_map import Place
from ..view import EXPLAINER, TRANSFORMER, ServiceView, Workload
from .pods.containers import SERVER
from .resolved import Resolved

_HOST = "--predictor-host"
_PROTOCOLS = ("--predictor-protocol", "--protocol")

HOST = Check(
    "predictor-host",
    WARNING,
    finds="the {role} asks {host} for predictions, but this service has no {name}: nothing answers there",
    fix="leave --predictor_host out, and KServe gives the right one",
)
PROTOCOL = Check(
    "predictor-protocol",
    WARNING,
    finds="the {role} calls the predictor by protocol {asked}, but {runtime} supports {spoken}",
    fix="write one of these in {flag}",
)


@check(HOST, costly=True)
def predictor_host(view: ServiceView) -> Iterator[Problem]:
    """Yield addresses of a predictor that this service does not create."""
    made = {str(each["metadata"]["name"]) for each in view.made}
    for workload, flag, place in _flags(view):
        host = flag.value.rpartition("://")[2].partition(":")[0].partition("/")[0]
        name, dummy, rest = host.partition(".")
        own = not rest or rest.partition(".")[0] == view.reference.namespace
        if flag.name != _HOST or not own or name in made:
            continue
        if name.startswith(f"{view.reference.name}-predictor"):
            yield HOST.at(place, role=workload.role, host=host, name=name)


@check(PROTOCOL, costly=True)
def predictor_protocol(view: ServiceView) -> Iterator[Problem]:
    """Yield protocols that the predictor's runtime does not support."""
    resolved: Resolved = view.basis
    runtime = resolved.components.runtime
    spoken = (runtime.spec.get("protocolVersions") or ()) if runtime else ()
    for workload, flag, place in _flags(view) if spoken else ():
        if flag.name in _PROTOCOLS and flag.value and flag.value not in spoken:
            yield PROTOCOL.at(
                place,
                role=workload.role,
                asked=flag.value,
                runtime=runtime,
                spoken=", ".join(spoken),
                flag=flag.name,
            )


def _flags(view: ServiceView) -> Iterator[tuple[Workload, Flag, Place]]:
    """Yield the flags of the servers that call the predictor."""
    for workload in view.of(TRANSFORMER, EXPLAINER):
        for number, container in enumerate(workload.pod.get("containers") or ()):
            if container.get("name") == SERVER:
                for flag in placed_flags(container):
                    yield workload, flag, workload.fields(f"containers[{number}].{flag.place}")
