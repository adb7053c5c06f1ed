# SPDX-License-Identifier: GPL-3.0-or-later
"""A service as its cluster means it: the input of all children, of the routes to it and of its status."""

from __future__ import annotations

from dataclasses import replace

from ...kube.reader import GivenObjects, Reader
from ..kserve.read_system_config import read_system_config
from .initial_scale import with_valid_initial_scale
from .mode import deployment_mode
from .pods.build import components
from .resolve import resolve
from .resolved import Resolved
from .settings import Settings
from .spec import InferenceService
from .trained_models import trained_models


def stopped_service(service: InferenceService, settings: Settings, reader: Reader) -> Resolved:
    """Return a service that is stopped and cannot be built: nothing of what is wrong with it has to be mended first."""
    config = read_system_config(settings.kserve_namespace, GivenObjects())
    live = reader.get(service.reference)
    return Resolved(service, deployment_mode(service, config, live), config, settings, live)


def resolved_service(service: InferenceService, settings: Settings, reader: Reader) -> Resolved:
    """Return what a service means in its cluster, its components and TrainedModels included. Raises InputError and Unbuildable."""
    resolved = with_valid_initial_scale(resolve(service, settings, reader), reader)
    parts = components(resolved, reader)
    models = trained_models(resolved.service, parts, reader)
    return replace(resolved, components=parts, models=models)
