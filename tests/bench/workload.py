# SPDX-License-Identifier: GPL-3.0-or-later
"""What is applied: services of one shape, and the same objects as plain manifests for the peers."""

from __future__ import annotations

from module_utils.kinds.model_service.crd import crd
from module_utils.modules import llmisvc_reconcile

from .runs import Json


def services(count: int, *, pods: int = 1) -> list[Json]:
    """Return services that have 14 or 15 children each and fit the lab's nodes; they name no namespace.

    pods: of each workload. Without any, services settle on a control plane that has no nodes.
    """
    return [_service(number, pods) for number in range(count)]


def _service(number: int, pods: int) -> Json:
    return {
        "apiVersion": "model.otterscale.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": f"chat-{number}"},
        "spec": {
            "model": {
                "name": f"acme/chat-{number}",
                "image": f"registry.example.com/models/chat:{number}",
            },
            "engine": {
                "args": ["--max-model-len=8192"],
                "env": [{"name": "LEVEL", "value": "INFO"}],
            },
            "accelerator": {"type": "cpu"},
            "decode": {"replicas": pods, "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}},
            "inferencePool": {
                "endpointPicker": {
                    "replicas": pods,
                    "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
                }
            },
            "httpRoute": {"gatewayRef": {"name": "edge"}},
            "monitoring": {"podMonitor": {"enabled": True}},
        },
    }


def rendered(documents: list[Json], namespace: str) -> list[Json]:
    """Return the objects of the services as plain manifests."""
    params = {
        name: option.get("default") for name, option in llmisvc_reconcile.ARGUMENT_SPEC.items()
    }
    params |= {
        "services": documents,
        "namespace": namespace,
        "state": "rendered",
        "settings": {"gateway_name": ""},
    }
    result = llmisvc_reconcile.run(
        params, check_mode=False, diff=False, environment={}, progress=print
    )
    manifests: list[Json] = result["manifests"]
    return manifests


def custom_resource_definition() -> Json:
    """Return the CRD of the services."""
    return crd()
