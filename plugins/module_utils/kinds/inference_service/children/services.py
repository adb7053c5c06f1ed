# SPDX-License-Identifier: GPL-3.0-or-later
"""The Services of a component in Standard mode.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/service/service_reconciler.go,
pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ...kserve.standard_pod import DEFAULT_PORT
from ..labels import GENERATION, app
from ..pods.component import Component
from ..pods.webhook_emulation import Mutator
from ..resolved import Resolved
from ..router.front_component import PORT

#: The agent takes requests before the model server does.
AGENT_PORT = 9081
_TRANSFORMER_CONTAINER = "transformer-container"


def component_service(component: Component, resolved: Resolved, mutate: Mutator) -> Child:  # noqa: ARG001
    """Return the Service in front of a component's pods. Port 80 leads to the first port of the container that takes requests."""
    headless = {"clusterIP": "None"} if resolved.config.service_cluster_ip_none else {}
    ports = service_ports(component)
    if component.has_agent:
        ports[0] = {**ports[0], "targetPort": AGENT_PORT}
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=component.name,
            namespace=resolved.service.namespace,
            labels={**component.labels, **app(component.name)},
            annotations=component.annotations,
            body={"spec": {**headless, "selector": app(component.name), "ports": ports}},
        ),
    )


def head_service(component: Component, resolved: Resolved, mutate: Mutator) -> Child | None:  # noqa: ARG001
    """Return the Service by which workers find their head before it is ready, None where one node holds the model."""
    if component.workers is None:
        return None
    return _of_nodes(component, resolved, component.head_service, component.name, "head")


def workers_service(component: Component, resolved: Resolved, mutate: Mutator) -> Child | None:  # noqa: ARG001
    """Return the Service by which the nodes find the workers before they are ready, None where one node holds the model."""
    if component.workers is None:
        return None
    return _of_nodes(
        component, resolved, component.workers.service, component.workers.name, "worker"
    )


def _of_nodes(
    component: Component, resolved: Resolved, name: str, workload: str, role: str
) -> Child:
    """Return a Service without an address for pods of one generation. workload: the name of their Deployment."""
    generation = {GENERATION: component.labels[GENERATION]}
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=name,
            namespace=resolved.service.namespace,
            labels={**component.labels, **app(component.name), "multinode/role": role},
            annotations=component.annotations,
            body={
                "spec": {
                    "clusterIP": "None",
                    "publishNotReadyAddresses": True,
                    "selector": {**app(workload), **generation},
                }
            },
        ),
    )


def service_ports(component: Component) -> list[Json]:
    """Return the ports of the Service in front of a component's pods."""
    return list(_ports(component))


def _ports(component: Component) -> Iterator[Json]:
    containers = component.pod.get("containers") or [{}]
    serving = next(
        (one for one in containers if one.get("name") == _TRANSFORMER_CONTAINER), containers[0]
    )
    ports = serving.get("ports") or ()
    if not ports:
        yield {
            "name": component.name,
            "port": PORT,
            "targetPort": DEFAULT_PORT,
            "protocol": "TCP",
        }
    for position, port in enumerate(ports):
        number = port["containerPort"]
        yield filled(
            {
                "name": port.get("name"),
                "port": number if position else PORT,
                "targetPort": number,
                "protocol": port.get("protocol") or ("TCP" if position else None),
                "appProtocol": _app_protocol(port.get("name") or ""),
            }
        )


def _app_protocol(port: str) -> str | None:
    return "kubernetes.io/h2c" if "grpc" in port or "h2c" in port else None
