# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployment whose pods write the answers; without `spec.prefill` they do all the work."""

from __future__ import annotations

from ....kube.intent import Child
from .. import names
from ..settings import Settings
from ..spec import ModelService
from .serving import serving_deployment


def decode_deployment(service: ModelService, settings: Settings) -> Child:
    """Return the decode Deployment; every service has one."""
    name = names.decode(service.name)
    return serving_deployment(service, settings, "decode", service.decode, name)
