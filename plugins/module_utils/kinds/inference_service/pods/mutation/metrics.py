# SPDX-License-Identifier: GPL-3.0-or-later
"""Where metrics of a pod are found. Source: KServe pkg/webhook/admission/pod/metrics_aggregate_injector.go@v0.17.0."""

from __future__ import annotations

from .....kube.manifest import Json
from ....kserve.pod import appended, changed, with_value
from ..containers import HTTP_PORT, QUEUE_PROXY
from .subject import Subject

_AGGREGATION = "serving.kserve.io/enable-metric-aggregation"
_SCRAPING = "serving.kserve.io/enable-prometheus-scraping"
_SERVER_PORT, _SERVER_PATH = "prometheus.kserve.io/port", "prometheus.kserve.io/path"
_PATH = "/metrics"
_POD_PORT, _AGGREGATE_PORT = "9091", "9088"
_AGGREGATE_PORT_NAME = "aggr-metric"


def with_metrics(subject: Subject) -> Subject:
    """Return a pod that tells Prometheus where to read, and whose queue proxy adds the server's metrics to its own."""
    defaults = subject.config.metrics
    missing = {_AGGREGATION: defaults.aggregation, _SCRAPING: defaults.scraping}
    subject = subject.annotated(
        {key: value for key, value in missing.items() if key not in subject.annotations}
    )
    aggregates = subject.annotations[_AGGREGATION] == "true"
    if aggregates:
        subject = subject.having(
            changed(subject.spec, QUEUE_PROXY, lambda proxy: _aggregating(proxy, subject))
        )
    if subject.annotations[_SCRAPING] != "true":
        return subject
    port = _AGGREGATE_PORT if aggregates else _POD_PORT
    return subject.annotated({"prometheus.io/port": port, "prometheus.io/path": _PATH})


def _aggregating(proxy: Json, subject: Subject) -> Json:
    values = {
        "KSERVE_CONTAINER_PROMETHEUS_METRICS_PORT": subject.annotations.get(
            _SERVER_PORT, str(HTTP_PORT)
        ),
        "KSERVE_CONTAINER_PROMETHEUS_METRICS_PATH": subject.annotations.get(_SERVER_PATH, _PATH),
        "AGGREGATE_PROMETHEUS_METRICS_PORT": _AGGREGATE_PORT,
    }
    for name, value in values.items():
        proxy = with_value(proxy, name, value)
    if any(each.get("name") == _AGGREGATE_PORT_NAME for each in proxy.get("ports") or ()):
        return proxy
    port = {
        "name": _AGGREGATE_PORT_NAME,
        "containerPort": int(_AGGREGATE_PORT),
        "protocol": "TCP",
    }
    return appended(proxy, "ports", port)
