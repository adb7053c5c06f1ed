# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of requests: what engines and endpoint picker are told of where to send them.

Source: KServe pkg/controller/v1alpha2/llmisvc/tracing.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kube.manifest import Json
from ..kserve.pod import changed, variable_of, with_variables
from .pod import MAIN
from .resolved import Resolved

#: The variable by which a program learns where traces go.
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
_PICKER, _SERVER = "inference-scheduler", "inference-server"
_NODE, _POD = "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME", "OTEL_RESOURCE_ATTRIBUTES_POD_NAME"


def with_server_tracing(pod: Json, resolved: Resolved, *, prefill: bool) -> Json:
    """Return the pod of an engine that traces its requests, where the service asks for it and says where traces go."""
    tracing = resolved.at("tracing") or {}
    endpoint = tracing.get("exporterEndpoint")
    if not endpoint:
        return pod
    flags = {"--otlp-traces-endpoint": endpoint, "--collect-detailed-traces": "all"}
    service = f"{_SERVER}-{'prefill' if prefill else 'decode'}"

    def tracing_server(server: Json) -> Json:
        given = server.get("args") or ()
        args = [
            word for flag, value in flags.items() if not _has(given, flag) for word in (flag, value)
        ]
        server = {**server, "args": [*given, *args]} if args else server
        return _with_environment(server, service, tracing, resolved)

    return changed(pod, MAIN, tracing_server)


def with_picker_tracing(main: Json, resolved: Resolved) -> Json:
    """Return the picker's container that traces its choices, where the service asks for it."""
    tracing = resolved.at("tracing")
    if tracing is None:
        return main
    given = main.get("args") or []
    if not (_has(given, "--tracing") or _has(given, "-tracing")):
        main = {**main, "args": [*given, "--tracing=true"]}
    return _with_environment(main, _PICKER, tracing, resolved)


def _has(arguments: Sequence[str], flag: str) -> bool:
    return any(str(word) == flag or str(word).startswith(f"{flag}=") for word in arguments)


def _with_environment(container: Json, service: str, tracing: Json, resolved: Resolved) -> Json:
    """Return a container with the variables of OpenTelemetry that it does not have."""
    wanted = _variables(service, tracing, resolved)
    missing = [one for one in wanted if variable_of(container, one["name"]) is None]
    return with_variables(container, missing)


def _variables(service: str, tracing: Json, resolved: Resolved) -> Iterator[Json]:
    values = {
        "OTEL_SERVICE_NAME": service,
        ENDPOINT: tracing.get("exporterEndpoint"),
        "OTEL_TRACES_EXPORTER": tracing.get("exporter"),
        "OTEL_TRACES_SAMPLER": tracing.get("sampler"),
        "OTEL_TRACES_SAMPLER_ARG": tracing.get("samplerArg"),
    }
    for name, value in values.items():
        yield {"name": name, **({"value": value} if value else {})}
    for name, path in ((_NODE, "spec.nodeName"), (_POD, "metadata.name")):
        yield {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
    place = f"k8s.namespace.name={resolved.namespace}"
    where = f"k8s.node.name=$({_NODE}),k8s.pod.name=$({_POD})"
    told = f"{place},{where},llmisvc.name={resolved.name}"
    yield {"name": "OTEL_RESOURCE_ATTRIBUTES", "value": told}
