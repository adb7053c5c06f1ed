# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service in front of the endpoint picker, which the gateway calls for every request."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService
from .picker import METRICS_PORT, METRICS_PORT_NAME, pool_of


def picker_service(service: ModelService, settings: Settings) -> Child:
    """Return the picker's Service; every service has one, with or without an explicit pool.

    Source: model-operator internal/modelservice/epp_service.go@v0.9.0-alpha.2.
    """
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=names.picker(service.name),
            namespace=service.namespace,
            labels=labels.picker(service.name, settings.operator_version),
            body={
                "spec": {
                    "selector": labels.picker_selector(service.name),
                    "ports": [
                        _port("grpc-ext-proc", pool_of(service).port),
                        _port(METRICS_PORT_NAME, METRICS_PORT),
                    ],
                }
            },
        ),
    )


def _port(name: str, number: int) -> Json:
    return {"name": name, "port": number, "targetPort": number, "protocol": "TCP"}
