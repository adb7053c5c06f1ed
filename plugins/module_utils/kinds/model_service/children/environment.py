# SPDX-License-Identifier: GPL-3.0-or-later
"""Environment variables of containers, and those with which OpenTelemetry is set up."""

from __future__ import annotations

from ....kube.fields import filled
from ....kube.manifest import Json
from ..settings import Tracing


def variable(name: str, value: str) -> Json:
    """Return an environment variable; one with an empty value has only a name."""
    return filled({"name": name, "value": value})


def exporter(component: str, tracing: Tracing) -> list[Json]:
    """Return the variables that say who reports traces, and where to."""
    return [
        variable("OTEL_SERVICE_NAME", component),
        variable("OTEL_EXPORTER_OTLP_ENDPOINT", tracing.otel_endpoint),
        variable("OTEL_TRACES_EXPORTER", "otlp"),
    ]


def sampler(tracing: Tracing) -> list[Json]:
    """Return the variables that say which traces are kept, without those that have no value."""
    chosen = {
        "OTEL_TRACES_SAMPLER": tracing.sampler,
        "OTEL_TRACES_SAMPLER_ARG": tracing.sampler_arg,
    }
    return [variable(name, value) for name, value in chosen.items() if value]
