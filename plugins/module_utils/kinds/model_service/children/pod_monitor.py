# SPDX-License-Identifier: GPL-3.0-or-later
"""The PodMonitors by which Prometheus reads the metrics of the model servers, one for each role."""

from __future__ import annotations

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService, PodMonitor

#: How releases that monitor by default scrape a service that says nothing about it.
DEFAULT_MONITOR = PodMonitor(enabled=True, port_name="http", path="/metrics", interval="30s")


def decode_pod_monitor(service: ModelService, settings: Settings) -> Child | None:
    """Return the PodMonitor of the decode pods, or None where monitoring is off."""
    return _pod_monitor(service, settings, "decode", names.decode(service.name))


def prefill_pod_monitor(service: ModelService, settings: Settings) -> Child | None:
    """Return the PodMonitor of the prefill pods, or None where monitoring is off or there are none."""
    if service.prefill is None:
        return None
    return _pod_monitor(service, settings, "prefill", names.prefill(service.name))


def _pod_monitor(
    service: ModelService, settings: Settings, role: labels.RoleName, name: str
) -> Child | None:
    """Source: model-operator internal/modelservice/podmonitor.go@v0.9.0-alpha.2, v1.0.1."""
    release = settings.release
    default = DEFAULT_MONITOR if release.pod_monitors_by_default else None
    monitor = service.pod_monitor or default
    if monitor is None or not monitor.enabled:
        return None
    relabelling = {
        "action": "replace",
        "sourceLabels": ["__meta_kubernetes_pod_label_app_kubernetes_io_name"],
        "targetLabel": "model_service",
    }
    endpoint = filled(
        {
            "port": monitor.port_name,
            "path": monitor.path,
            "interval": monitor.interval,
            "relabelings": [relabelling] if release.monitor_relabelling else [],
        }
    )
    version, serving = settings.operator_version, release.serving_label_on_monitors
    selector = labels.deployment_selector(service.name, role)
    return Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version=gvk.MONITORING,
            kind="PodMonitor",
            name=name,
            namespace=service.namespace,
            labels=labels.pod_monitor(service.name, role, version, serving),
            body={
                "spec": {
                    "selector": {"matchLabels": selector},
                    "podMetricsEndpoints": [endpoint],
                }
            },
        ),
    )
