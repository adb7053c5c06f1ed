# SPDX-License-Identifier: GPL-3.0-or-later
"""The ServiceMonitor by which Prometheus reads the metrics of the endpoint picker."""

from __future__ import annotations

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService
from .picker import METRICS_PORT_NAME, is_scraped


def service_monitor(service: ModelService, settings: Settings) -> Child | None:
    """Return the ServiceMonitor, or None where there is no explicit pool or monitoring is not switched on.

    interval: fixed; the author's interval is for the model servers.
    Source: model-operator internal/modelservice/epp_service_monitor.go@v0.9.0-alpha.2.
    """
    if not is_scraped(service):
        return None
    token = {"name": names.picker_secret(service.name), "key": "token"}
    authorization = {"credentials": token} if settings.metrics_endpoint_auth else None
    endpoint = filled(
        {"port": METRICS_PORT_NAME, "interval": "30s", "authorization": authorization}
    )
    return Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version=gvk.MONITORING,
            kind="ServiceMonitor",
            name=names.picker(service.name),
            namespace=service.namespace,
            labels=labels.picker(service.name, settings.operator_version),
            body={
                "spec": {
                    "selector": {"matchLabels": labels.picker_selector(service.name)},
                    "endpoints": [endpoint],
                }
            },
        ),
    )
