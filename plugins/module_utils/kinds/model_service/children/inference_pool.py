# SPDX-License-Identifier: GPL-3.0-or-later
"""The InferencePool: which pods serve the model, and which picker chooses among them."""

from __future__ import annotations

from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService
from .picker import pool_of


def inference_pool(service: ModelService, settings: Settings) -> Child:
    """Return the pool; every service has one.

    The target port is the engine's port for decode and prefill pods alike: in decode pods the sidecar listens there.
    Source: model-operator internal/modelservice/inferencepool.go@v0.9.0-alpha.2.
    """
    pool = pool_of(service)
    return Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version=gvk.POOL,
            kind="InferencePool",
            name=names.pool(service.name),
            namespace=service.namespace,
            labels=labels.routing(service.name, settings.operator_version),
            body={
                "spec": {
                    "targetPorts": [{"number": service.engine.port}],
                    "selector": {"matchLabels": labels.pool_selector(service.name)},
                    "endpointPickerRef": {
                        "group": "",
                        "kind": "Service",
                        "name": names.picker(service.name),
                        "port": {"number": pool.port},
                        "failureMode": pool.failure_mode,
                    },
                }
            },
        ),
    )
