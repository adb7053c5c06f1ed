# SPDX-License-Identifier: GPL-3.0-or-later
"""The collector that tells KEDA the metrics of a component's own pods.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/otel/otel_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ...kserve.system_config import OpenTelemetry
from ..pods.component import Component
from ..pods.webhook_emulation import Mutator
from ..resolved import Resolved

#: The backend of metrics that come from the pods themselves.
OPENTELEMETRY = "opentelemetry"
_PORT_ANNOTATION = "prometheus.kserve.io/port"
_RECEIVER, _EXPORTER = "prometheus", "otlp"
#: In the order in which a metric goes through them.
_PROCESSORS = ("resourcedetection/env", "transform", "filter/metrics")
#: Empty parts that the operator's types always write.
_EMPTY: Json = {
    "daemonSetUpdateStrategy": {},
    "deploymentUpdateStrategy": {},
    "ingress": {"route": {}},
    "observability": {"metrics": {}},
    "podDnsConfig": {},
    "targetAllocator": {"observability": {"metrics": {}}, "prometheusCR": {}, "resources": {}},
    "upgradeStrategy": "",
}


def opentelemetry_collector(
    component: Component,
    resolved: Resolved,
    mutate: Mutator,  # noqa: ARG001
) -> Child | None:
    """Return the collector, None where no metric of the component's pods is named. It runs as a sidecar where the pods ask for it."""
    wanted = [*_metric_names(component)]
    if not wanted:
        return None
    resolved.config.need("opentelemetryCollector")
    settings = resolved.config.opentelemetry
    port = component.annotations.get(_PORT_ANNOTATION, "8080")
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version="opentelemetry.io/v1beta1",
            kind="OpenTelemetryCollector",
            name=component.name,
            namespace=resolved.service.namespace,
            annotations=component.annotations,
            body={
                "spec": {
                    **_EMPTY,
                    "mode": "sidecar",
                    "resources": settings.resources,
                    "config": _config(settings, wanted, port),
                }
            },
        ),
    )


def _metric_names(component: Component) -> Iterator[str]:
    for metric in (component.spec.get("autoScaling") or {}).get("metrics") or ():
        found = (metric.get("podmetric") or {}).get("metric") or {}
        if metric.get("type") == "PodMetric" and found.get("backend") == OPENTELEMETRY:
            yield from found.get("metricNames") or ()


def _config(settings: OpenTelemetry, wanted: list[str], port: str) -> Json:
    scrape = {
        "job_name": "otel-collector",
        "scrape_interval": settings.scrape_interval,
        "static_configs": [{"targets": [f"localhost:{port}"]}],
    }
    return {
        "receivers": {_RECEIVER: {"config": {"scrape_configs": [scrape]}}},
        "processors": {
            "resourcedetection/env": {"detectors": ["env"], "timeout": "2s", "override": False},
            "transform": {
                "metric_statements": [{"context": "datapoint", "statements": [*_statements()]}]
            },
            "filter/metrics": {
                "metrics": {"include": {"match_type": "strict", "metric_names": wanted}}
            },
        },
        "exporters": {
            _EXPORTER: {
                "endpoint": settings.receiver_endpoint,
                "compression": "none",
                "tls": {"insecure": True},
            }
        },
        "service": {
            "pipelines": {
                "metrics": {
                    "receivers": [_RECEIVER],
                    "processors": [*_PROCESSORS],
                    "exporters": [_EXPORTER],
                }
            }
        },
    }


def _statements() -> Iterator[str]:
    """Yield what copies the labels by which KEDA asks from the resource to each of its points."""
    for name in ("namespace", "deployment", "pod"):
        yield f'set(attributes["{name}"], resource.attributes["k8s.{name}.name"])'
