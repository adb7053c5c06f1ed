# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployment of the endpoint picker (EPP), which the gateway asks where to send each request."""

from __future__ import annotations

from ....endpoint_picker.build import picker_config
from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService
from .picker import pool_of
from .picker_container import picker_container
from .security import pod_security

#: How long a picker may finish its open streams, in seconds.
GRACE_PERIOD = 130


def picker_deployment(service: ModelService, settings: Settings) -> Child:
    """Return the picker's Deployment.

    Its pods are replaced when the configuration changes, since they read it once: hence the checksum on the template.
    Source: model-operator internal/modelservice/epp_deployment.go@v0.9.0-alpha.2.
    """
    version = settings.operator_version
    config = picker_config(disaggregated=service.prefill is not None)
    return Child(
        stage=Stage.WORKLOAD,
        manifest=Manifest(
            api_version=gvk.APPS,
            kind="Deployment",
            name=names.picker(service.name),
            namespace=service.namespace,
            labels=labels.picker(service.name, version),
            body={
                "spec": {
                    "replicas": pool_of(service).replicas,
                    "strategy": {"type": "Recreate"},
                    "selector": {"matchLabels": labels.picker_deployment_selector(service.name)},
                    "template": {
                        "metadata": {
                            "labels": labels.picker_pod(service.name, version),
                            "annotations": {"checksum/config": config.hash},
                        },
                        "spec": _pod(service, settings),
                    },
                }
            },
        ),
    )


def _pod(service: ModelService, settings: Settings) -> Json:
    config_map = {"name": names.picker_config(service.name), "optional": True}
    return {
        "serviceAccountName": names.picker(service.name),
        "terminationGracePeriodSeconds": GRACE_PERIOD,
        "securityContext": pod_security(),
        "containers": [picker_container(service, settings)],
        "volumes": [{"name": "epp-config", "configMap": config_map}],
    }
