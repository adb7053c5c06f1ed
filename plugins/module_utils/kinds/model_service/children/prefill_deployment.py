# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployment whose pods read the prompts, where reading and answering are disaggregated."""

from __future__ import annotations

from ....kube.intent import Child
from .. import names
from ..settings import Settings
from ..spec import ModelService
from .serving import serving_deployment


def prefill_deployment(service: ModelService, settings: Settings) -> Child | None:
    """Return the prefill Deployment, or None where the service has no `spec.prefill`."""
    if service.prefill is None:
        return None
    name = names.prefill(service.name)
    return serving_deployment(service, settings, "prefill", service.prefill, name)
