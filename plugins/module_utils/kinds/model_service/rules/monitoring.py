# SPDX-License-Identifier: GPL-3.0-or-later
"""Monitors of the Prometheus operator, and tracing. Source: its CRDs of v0.89.0."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kube.names import check_port_name
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ..children.vllm import OPENS_NIXL_PORT
from ..settings import Settings
from ..spec import ModelService

_DURATION = re.compile(
    r"0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?",
    re.ASCII,
)


def interval(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse an interval that is no Prometheus duration."""
    monitor = service.pod_monitor
    if monitor is not None and monitor.enabled and not _DURATION.fullmatch(monitor.interval):
        message = f"{show(monitor.interval)} is not a Prometheus duration such as 30s or 1m30s"
        yield Problem("spec.monitoring.podMonitor.interval", message, rule="interval")


def port_name(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Warn of a port name that no container of the pods has."""
    monitor = service.pod_monitor
    if monitor is None or not monitor.enabled:
        return
    known = ["http"]
    known += ["proxy"] if service.routing_proxy else []
    known += ["nixl-side"] if OPENS_NIXL_PORT.at(settings.release) else []
    if monitor.port_name in known:
        return
    fault = check_port_name(monitor.port_name)
    why = (
        "cannot be the name of a port, which has a letter and at most 15 characters"
        if fault
        else "is not a port of the pods"
    )
    message = (
        f"{show(monitor.port_name)} {why}, so nothing is scraped; the engine's port is called http"
    )
    yield Problem("spec.monitoring.podMonitor.portName", message, "warning", rule="monitor-port")


def missing_token(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Warn of a ServiceMonitor that refers to a Secret which is not made with provider gke (docs/differences.md, W36)."""
    monitor = service.pod_monitor
    if not (monitor and monitor.enabled and service.pool and settings.metrics_endpoint_auth):
        return
    if settings.provider == "gke":
        message = (
            "the ServiceMonitor of the picker refers to a token Secret that is not made with provider gke, so its metrics "
            "cannot be read; set metrics_endpoint_auth to false"
        )
        yield Problem("spec.monitoring.podMonitor", message, "warning", rule="monitor-token")


def tracing_endpoint(_service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Warn of traces that go nowhere."""
    if settings.tracing.enabled and not settings.tracing.otel_endpoint:
        message = "empty while tracing is on; name the collector, for example http://otel-collector.observability:4317"
        yield Problem("settings.tracing.otel_endpoint", message, "warning", rule="tracing-endpoint")
