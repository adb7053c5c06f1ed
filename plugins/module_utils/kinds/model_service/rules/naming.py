# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service may be called."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from .. import names
from ..settings import Settings
from ..spec import ModelService


def service_name(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse a name that gives an illegal child or label (docs/differences.md, W8, W9, W13)."""
    for message in names.problems(service.name):
        yield Problem("metadata.name", message, rule="name")


def istio_pool_name(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Warn of pool names of which Istio makes an illegal Service (docs/differences.md, W10)."""
    fault = (
        "holds a dot"
        if "." in service.name
        else "begins with a digit"
        if service.name[:1].isdigit()
        else ""
    )
    if fault and settings.provider == "istio" and not list(names.problems(service.name)):
        message = (
            f'"{service.name}" {fault}; Istio makes a Service called "{service.name}-ip-…" for the pool, which must be a '
            f'DNS label. A service called "{names.sanitise(service.name)}" avoids it'
        )
        yield Problem("metadata.name", message, "warning", rule="istio-pool-name")
