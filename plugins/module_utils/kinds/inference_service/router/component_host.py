# SPDX-License-Identifier: GPL-3.0-or-later
"""The host name of a component in Standard mode, as its status shows it."""

from __future__ import annotations

from ...kserve.host_name import host_name
from ..pods.component import Component
from ..resolved import Resolved


def component_host(component: Component, resolved: Resolved) -> str:
    """Return the host name; the template sees the labels and annotations of the component's objects. Raises HostError."""
    return host_name(
        component.name,
        resolved.service.namespace,
        resolved.config.ingress,
        labels=component.labels,
        annotations=component.annotations,
    )
