# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests and limits that the API server would refuse."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.pod_rules import resource_problems
from ....kube.problem import Problem
from ..children.accelerator import with_devices
from ..settings import Settings
from ..spec import ModelService, roles


def roles_resources(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse what a serving container may not ask for; devices are counted in, since they replace what is written."""
    for name, role in roles(service):
        yield from resource_problems(
            with_devices(role, service.accelerator), f"spec.{name}.resources"
        )


def picker_resources(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse what the picker's container may not ask for."""
    if service.pool and service.pool.resources is not None:
        yield from resource_problems(
            service.pool.resources, "spec.inferencePool.endpointPicker.resources"
        )
