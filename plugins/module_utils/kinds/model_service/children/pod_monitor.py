# SPDX-License-Identifier: GPL-3.0-or-later
"""The PodMonitors by which Prometheus reads the metrics of the model servers, one for each role."""

from __future__ import annotations

from dataclasses import dataclass

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ....kube.release import Since, change
from .. import labels, names
from ..releases import ModelOperator
from ..settings import Settings
from ..spec import ModelService, PodMonitor

#: How releases that monitor by default scrape a service that says nothing about it.
DEFAULT_MONITOR = PodMonitor(enabled=True, port_name="http", path="/metrics", interval="30s")


@dataclass(frozen=True, slots=True)
class Facts:
    """default: what scrapes a service that says nothing about it. serving_label: whether `llm-d.ai/inference-serving` is among the labels.

    relabelled: whether each series gets the label `model_service`.
    """

    default: PodMonitor | None = None
    serving_label: bool = True
    relabelled: bool = False


FACTS: Since[Facts] = Since(
    {
        ModelOperator.V0_9_0_ALPHA_2: Facts(),
        ModelOperator.V1_0_1: change(default=DEFAULT_MONITOR, serving_label=False, relabelled=True),
    }
)


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
    facts = FACTS.at(settings.release)
    monitor = service.pod_monitor or facts.default
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
            "relabelings": [relabelling] if facts.relabelled else [],
        }
    )
    version, serving = settings.operator_version, facts.serving_label
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
