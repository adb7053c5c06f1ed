# SPDX-License-Identifier: GPL-3.0-or-later
"""All that the webhook says of a service, in its order."""

from __future__ import annotations

from ....kube.manifest import Json
from ...kserve.releases import KServe
from . import (
    adapters,
    confidential,
    offloading,
    rollout,
    routing,
    scaling,
    scheduler,
    workloads,
)
from .field_error import FieldError


def create_errors(spec: Json, service: str, version: str, release: KServe) -> list[FieldError]:
    """Return what the webhook of a release refuses about the spec of a service. version: in which it is written."""
    return [
        *routing.errors(spec, version, release),
        *workloads.errors(spec),
        *scheduler.errors(spec),
        *scaling.errors(spec, release),
        *scaling.mixed(spec, release),
        *adapters.errors(spec, service, version, release),
        *offloading.errors(spec),
        *rollout.errors(spec),
        *routing.group_errors(spec),
        *confidential.errors(spec),
    ]


def update_errors(old: Json, new: Json) -> list[FieldError]:
    """Return what the webhook refuses about a change, beside what it says of the new spec itself."""
    return sorted(workloads.changes(old, new), key=lambda error: error.field)
