# SPDX-License-Identifier: GPL-3.0-or-later
"""How an InferenceService is called: by its host name, in the protocol of its model server.

Source: KServe v0.17.0, pkg/apis/serving/v1beta1/predictor_custom.go (PROTOCOL), predictor_model.go (protocolVersion).
"""

from __future__ import annotations

from dataclasses import replace

from ...kube.command_line import flags, words
from ...kube.manifest import Json
from ...kube.reader import Reader
from ..entrance import Backend, Entrance, engine_protocol, served_name
from ..kserve.framework import model_format, model_of
from ..kserve.modes import STANDARD
from ..protocols import OPENAI, V1, V2, V2_SERVER, Protocol
from .children.http_routes import http_routes
from .children.ingress import ingress
from .implementations import variable
from .resolved import Resolved
from .router.front_component import PORT, front_name, front_role
from .settings import Settings

_GRPC = "its model server only speaks gRPC"


def entrance(resolved: Resolved, settings: Settings, reader: Reader) -> Entrance:
    """Return how the service is called."""
    components = resolved.components
    service = resolved.service
    if service.stopped or components.some_stopped:
        return Entrance(None, service.name, closed="the service is stopped")
    entry = components.of(front_role(service))
    containers = entry.pod.get("containers") or []
    protocol = _protocol(components.of("predictor").spec, containers)
    if protocol is None:
        return Entrance(None, service.name, closed=_GRPC)
    name = front_name(service)
    backend = Backend(name, service.namespace, PORT)
    routes: tuple[Json, ...] = ()
    closed = ""
    if resolved.mode == STANDARD:
        own = [*http_routes(resolved, reader), *ingress(resolved, reader)]
        routes = tuple(
            child.manifest.to_dict() for child in own if child.manifest.name == service.name
        )
        if not routes:
            where = backend.url(settings.cluster_domain)
            closed = f"it can only be called inside the cluster, by {where}"
    return Entrance(
        protocol,
        _model(containers, service.name),
        routes=routes,
        targets=frozenset({service.component_name(front_role(service))}),
        backend=backend,
        closed=closed,
    )


def _protocol(predictor: Json, containers: list[Json]) -> Protocol | None:
    """Return the protocol of a model server; None for one that takes no HTTP."""
    said = [word for container in containers for word in words(container)]
    dummy, model = model_of(predictor)
    generates = model_format(model or {}) == "huggingface" and _generates_text(containers)
    if not generates and any(word == "vllm" or word.startswith("vllm.entry") for word in said):
        return engine_protocol(containers)
    version = (model or {}).get("protocolVersion") or next(
        (value for one in containers if (value := variable(one, "PROTOCOL"))), "v1"
    )
    if version.startswith("grpc"):
        return None
    protocol = V1 if version != "v2" else V2_SERVER if "tritonserver" in said else V2
    return (
        replace(protocol, call=f"/openai{OPENAI.call}", body=OPENAI.body) if generates else protocol
    )


def _generates_text(containers: list[Json]) -> bool:
    """Tell whether KServe's server for Hugging Face writes text, which it does by OpenAI's API; other tasks are named."""
    tasks = [value for one in containers for flag, value in flags(one) if flag == "--task"]
    return all(task.endswith("generation") for task in tasks)


def _model(containers: list[Json], service: str) -> str:
    """Return what requests call the model: what the server is told on its command line, else the service's name."""
    given = served_name(containers) or next(
        (
            value
            for container in containers
            for flag, value in flags(container)
            if flag == "--model-name" and value
        ),
        "",
    )
    return given or service
