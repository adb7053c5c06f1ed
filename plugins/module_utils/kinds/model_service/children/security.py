# SPDX-License-Identifier: GPL-3.0-or-later
"""The security settings of every pod and container: what Pod Security `restricted` asks for."""

from __future__ import annotations

from ....kube.manifest import Json


def pod_security() -> Json:
    """Return the security context of a pod. No user is named, so an image that runs as root does not start."""
    return {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


def container_security() -> Json:
    """Return the security context of a container."""
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
