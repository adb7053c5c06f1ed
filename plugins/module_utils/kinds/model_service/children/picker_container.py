# SPDX-License-Identifier: GPL-3.0-or-later
"""The container of the endpoint picker."""

from __future__ import annotations

from ....endpoint_picker.build import picker_config
from ....kube import gvk
from ....kube.fields import filled
from ....kube.manifest import Json, copied
from .. import names
from ..settings import Settings
from ..spec import ModelService
from . import environment
from .picker import HEALTH_PORT, METRICS_PORT, METRICS_PORT_NAME, is_replicated, pool_of
from .security import container_security

#: The API group of the InferencePool.
POOL_GROUP = gvk.POOL_GROUP
#: Where the configuration is mounted.
CONFIG_DIRECTORY = "/config"


def picker_container(service: ModelService, settings: Settings) -> Json:
    """Return the container.

    Source: model-operator internal/modelservice/epp_deployment.go@v0.9.0-alpha.2.
    """
    pool = pool_of(service)
    ready, alive = (
        ("readiness", "liveness")
        if is_replicated(service)
        else ("inference-extension", "inference-extension")
    )
    return filled(
        {
            "name": "epp",
            "image": pool.image or settings.endpoint_picker_image,
            "imagePullPolicy": "IfNotPresent",
            "args": _arguments(service, settings),
            "env": _environment(settings),
            "ports": [
                {"name": "grpc-ext-proc", "containerPort": pool.port, "protocol": "TCP"},
                {"name": "grpc-health", "containerPort": HEALTH_PORT, "protocol": "TCP"},
                {"name": METRICS_PORT_NAME, "containerPort": METRICS_PORT, "protocol": "TCP"},
            ],
            "readinessProbe": {"grpc": _health(ready), "periodSeconds": 2},
            "livenessProbe": {
                "grpc": _health(alive),
                "initialDelaySeconds": 5,
                "periodSeconds": 10,
            },
            "resources": _resources(service),
            "volumeMounts": [
                {"name": "epp-config", "mountPath": CONFIG_DIRECTORY, "readOnly": True}
            ],
            "securityContext": container_security(),
        }
    )


def _health(service: str) -> Json:
    return {"port": HEALTH_PORT, "service": service}


def _resources(service: ModelService) -> Json:
    given = pool_of(service).resources
    if given is not None:
        resources: Json = copied(given)
        return resources
    return {"requests": {"cpu": "4", "memory": "8Gi"}, "limits": {"memory": "16Gi"}}


def _arguments(service: ModelService, settings: Settings) -> list[str]:
    config = picker_config(disaggregated=service.prefill is not None)
    return [
        f"--pool-name={names.pool(service.name)}",
        f"--pool-namespace={service.namespace}",
        f"--pool-group={POOL_GROUP}",
        f"--config-file={CONFIG_DIRECTORY}/{config.key}",
        f"--grpc-port={pool_of(service).port}",
        "--zap-encoder=json",
        *(["--ha-enable-leader-election"] if is_replicated(service) else []),
        f"--tracing={str(settings.tracing.enabled).lower()}",
        *([] if settings.metrics_endpoint_auth else ["--metrics-endpoint-auth=false"]),
    ]


def _environment(settings: Settings) -> list[Json]:
    own = [_field("NAMESPACE", "metadata.namespace"), _field("POD_NAME", "metadata.name")]
    if not settings.tracing.enabled:
        return own
    attributes = {
        "k8s.namespace.name": "$(NAMESPACE)",
        "k8s.node.name": "$(OTEL_RESOURCE_ATTRIBUTES_NODE_NAME)",
        "k8s.pod.name": "$(OTEL_RESOURCE_ATTRIBUTES_POD_NAME)",
    }
    return [
        *own,
        *environment.exporter("gateway-api-inference-extension", settings.tracing),
        _field("OTEL_RESOURCE_ATTRIBUTES_NODE_NAME", "spec.nodeName", apiVersion="v1"),
        _field("OTEL_RESOURCE_ATTRIBUTES_POD_NAME", "metadata.name", apiVersion="v1"),
        environment.variable(
            "OTEL_RESOURCE_ATTRIBUTES",
            ",".join(f"{key}={value}" for key, value in attributes.items()),
        ),
        *environment.sampler(settings.tracing),
    ]


def _field(name: str, path: str, **more: str) -> Json:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path, **more}}}
