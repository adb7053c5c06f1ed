# SPDX-License-Identifier: GPL-3.0-or-later
"""What the decode and the prefill Deployment have in common: pods that download a model and serve it with vLLM."""

from __future__ import annotations

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest, copied
from .. import labels
from ..settings import Settings
from ..spec import ModelService, Role
from .model_unpack import credentials_volume, model_unpack
from .routing_proxy import routing_proxy
from .security import pod_security
from .vllm import vllm, wants_shared_memory

#: Kubernetes' default of terminationGracePeriodSeconds.
_GRACE_PERIOD = 30


def serving_deployment(
    service: ModelService, settings: Settings, name: labels.RoleName, role: Role, child_name: str
) -> Child:
    """Return the Deployment of a role.

    replicas: pods; where the author names no number it is 1 at first and left alone later, for an autoscaler.
    Source: model-operator internal/modelservice/deployment.go@v0.9.0-alpha.2, v1.0.1.
    """
    version = settings.operator_version
    annotations = dict(role.annotations)
    pod_labels = labels.deployment_pod(service.name, name, version)
    return Child(
        stage=Stage.WORKLOAD,
        manifest=Manifest(
            api_version=gvk.APPS,
            kind="Deployment",
            name=child_name,
            namespace=service.namespace,
            labels=labels.deployment(service.name, name, version),
            body={
                "spec": {
                    "replicas": 1 if role.replicas is None else role.replicas,
                    "selector": {"matchLabels": labels.deployment_selector(service.name, name)},
                    "template": {
                        "metadata": filled({"labels": pod_labels, "annotations": annotations}),
                        "spec": _pod(service, settings, name, role),
                    },
                }
            },
        ),
        unclaimed=(("spec", "replicas"),) if role.replicas is None else (),
    )


def _pod(service: ModelService, settings: Settings, name: labels.RoleName, role: Role) -> Json:
    sidecar = routing_proxy(service, settings) if name == "decode" else None
    init_containers = (model_unpack(service, settings), sidecar)
    return filled(
        {
            "initContainers": [container for container in init_containers if container],
            "containers": [vllm(service, settings, name, role)],
            "volumes": _volumes(service, settings, role),
            "imagePullSecrets": [
                filled({"name": secret}) for secret in service.model.image_pull_secrets
            ],
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": _grace_period(settings),
            "securityContext": pod_security(),
            "nodeSelector": dict(role.node_selector),
            "tolerations": copied(list(role.tolerations)),
        }
    )


def _grace_period(settings: Settings) -> int | None:
    """Return the seconds from the word to end until the kill, None for Kubernetes' own: draining takes nothing of vLLM's time."""
    return settings.drain_seconds + _GRACE_PERIOD if settings.drain_seconds else None


def _volumes(service: ModelService, settings: Settings, role: Role) -> list[Json]:
    credentials = credentials_volume(service)
    memory = filled({"medium": "Memory", "sizeLimit": settings.shared_memory})
    return [
        {"name": "model", "emptyDir": {}},
        {"name": "model-tmp", "emptyDir": {}},
        *([credentials] if credentials else []),
        *([{"name": "shm", "emptyDir": memory}] if wants_shared_memory(role, settings) else []),
    ]
