# SPDX-License-Identifier: GPL-3.0-or-later
"""Why fields of a ModelService come to nothing. Source: model-operator internal/controller@v0.9.0-alpha.2."""

from __future__ import annotations

from ..idle import Idle

IDLE: tuple[Idle, ...] = (
    Idle(
        r"spec\.monitoring\.podMonitor(\..+)?",
        "no PodMonitor is created while spec.monitoring.podMonitor.enabled is false",
        "set enabled: true, or leave it out",
    ),
    Idle(
        r"spec\.engine\.env\[[0-9]+\](\..+)?",
        "a later variable has the same name, and that one counts",
        "keep one of them",
    ),
)
