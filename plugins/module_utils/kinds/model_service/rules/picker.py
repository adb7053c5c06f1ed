# SPDX-License-Identifier: GPL-3.0-or-later
"""The endpoint picker."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from ..settings import Settings
from ..spec import ModelService


def no_replicas(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of a picker that is switched off while the gateway still asks it (docs/differences.md, W33)."""
    if service.pool is None or service.pool.replicas:
        return
    effect = (
        "every request fails"
        if service.pool.failure_mode == "FailClose"
        else "requests are spread blindly"
    )
    message = f"0 picker pods answer the gateway: with failureMode {service.pool.failure_mode} {effect}. Use at least 1"
    yield Problem(
        "spec.inferencePool.endpointPicker.replicas", message, "warning", rule="picker-replicas"
    )
