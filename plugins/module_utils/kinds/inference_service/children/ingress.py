# SPDX-License-Identifier: GPL-3.0-or-later
"""The Ingress of a service in Standard mode, where no Gateway API is used."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ..resolved import Resolved
from ..router.front_component import PORT, explainer_name, front_name, has_routes
from ..router.hosts import service_host


def ingress(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:  # noqa: ARG001
    """Return the Ingress, nothing for a service that is not to be reached from outside, and while a part is stopped. Raises HostError.

    annotations: all that the service has, what children never get included.
    Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/kube_ingress_reconciler.go@v0.17.0.
    """
    config = resolved.config.ingress
    if resolved.components.some_stopped or config.enable_gateway_api or not has_routes(resolved):
        return ()
    rules = [
        _rule(service_host(resolved.service, name, config), backend)
        for name, backend in _ways(resolved)
    ]
    child = Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version="networking.k8s.io/v1",
            kind="Ingress",
            name=resolved.service.name,
            namespace=resolved.service.namespace,
            annotations=resolved.service.annotations,
            body={"spec": filled({"ingressClassName": config.class_name, "rules": rules})},
        ),
    )
    return (child,)


def _ways(resolved: Resolved) -> Iterator[tuple[str, str]]:
    """Yield whose host name leads to which component.

    With a transformer the controller has the explainer under the transformer's host name, and the transformer's own leads to
    the predictor; so have we.
    """
    service = resolved.service
    predictor = service.component_name("predictor")
    transformer = service.component_name("transformer")
    explainer = explainer_name(service)
    entry = front_name(service)
    if entry == transformer:
        if explainer:
            yield transformer, explainer
        yield service.name, transformer
        yield transformer, predictor
    else:
        yield service.name, predictor
        if explainer:
            yield explainer, explainer
    yield predictor, predictor


def _rule(host: str, backend: str) -> Json:
    service = {"name": backend, "port": {"number": PORT}}
    path = {"path": "/", "pathType": "Prefix", "backend": {"service": service}}
    return {"host": host, "http": {"paths": [path]}}
