# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of the endpoint picker (EPP) agree on: its ports, and the pool where the service names none."""

from __future__ import annotations

from ..settings import Settings
from ..spec import ModelService, Pool

#: Fixed by the picker: gRPC health checks, and metrics for Prometheus.
HEALTH_PORT = 9003
METRICS_PORT = 9090
#: The name of the metrics port, by which the ServiceMonitor refers to it.
METRICS_PORT_NAME = "http-metrics"

#: A service without `spec.inferencePool` has a picker all the same. Its failure mode differs from that of an explicit pool.
DEFAULT_POOL = Pool(image=None, replicas=1, port=9002, failure_mode="FailClose")


def pool_of(service: ModelService) -> Pool:
    """Return the service's pool, or what the operator takes in its place."""
    return service.pool or DEFAULT_POOL


def is_replicated(service: ModelService) -> bool:
    """Tell whether several pickers run, of which one is elected to lead."""
    return pool_of(service).replicas > 1


def checks_tokens(service: ModelService, settings: Settings) -> bool:
    """Tell whether the picker is given the rights with which it checks who reads its metrics."""
    return service.pool is not None and settings.metrics_endpoint_auth


def is_scraped(service: ModelService) -> bool:
    """Tell whether Prometheus reads the picker's metrics; switching it on is left to the author in every release."""
    return (
        service.pool is not None and service.pod_monitor is not None and service.pod_monitor.enabled
    )
