# SPDX-License-Identifier: GPL-3.0-or-later
"""A service as its cluster means it: the input of all children, of the routes to it and of its status."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from ...kube.problem import InputError
from ...kube.reader import GivenObjects, Reader
from ..kserve.knative.scaling import NoAutoscaler, without_invalid_initial_scale
from ..kserve.modes import KNATIVE
from ..kserve.read_system_config import read_system_config
from ..kserve.system_config import Misconfigured
from .errors import Unbuildable
from .mode import deployment_mode
from .pods.build import components
from .resolve import resolve
from .resolved import Resolved
from .settings import Settings
from .spec import InferenceService
from .trained_models import trained_models


def stopped_service(service: InferenceService, settings: Settings, reader: Reader) -> Resolved:
    """Return a service that is stopped and cannot be built: nothing of what is wrong with it has to be mended first.

    What can be read counts: its runtime is in the status, and the way to it depends on KServe's configuration.
    """
    for read in (resolved_service, resolve):
        with suppress(InputError, Unbuildable, Misconfigured):
            return read(service, settings, reader)
    try:
        config = read_system_config(settings.kserve_namespace, reader)
    except Misconfigured:
        config = read_system_config(settings.kserve_namespace, GivenObjects())
    live = reader.get(service.reference)
    return Resolved(service, deployment_mode(service, config, live), config, settings, live)


def resolved_service(service: InferenceService, settings: Settings, reader: Reader) -> Resolved:
    """Return what a service means in its cluster, its components and TrainedModels included. Raises InputError and Unbuildable."""
    resolved = _with_valid_initial_scale(resolve(service, settings, reader), reader)
    parts = components(resolved, reader)
    models = trained_models(resolved.service, parts, reader)
    return replace(resolved, components=parts, models=models)


def _with_valid_initial_scale(resolved: Resolved, reader: Reader) -> Resolved:
    """Return a service in Knative mode without a number of first pods that Knative would refuse; others stay as they are."""
    if resolved.mode != KNATIVE:
        return resolved
    service = resolved.service
    try:
        annotations = without_invalid_initial_scale(service.annotations, reader)
    except NoAutoscaler as error:
        raise Unbuildable(str(error), advice=error.advice, rule="knative") from None
    return replace(resolved, service=replace(service, annotations=annotations))
