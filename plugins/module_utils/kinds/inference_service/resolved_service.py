# SPDX-License-Identifier: GPL-3.0-or-later
"""A service as its cluster understands it: the input of all children, of the routes to it and of its status."""

from __future__ import annotations

from dataclasses import dataclass

from ...kube.reader import Reader
from .initial_scale import with_valid_initial_scale
from .pods.build import components
from .pods.component import Components
from .resolve import resolve
from .resolved import Resolved
from .settings import Settings
from .spec import InferenceService


@dataclass(frozen=True, slots=True)
class Understood:
    """resolved: the service with the cluster's configuration applied. components: what it is made of."""

    resolved: Resolved
    components: Components


def understand(service: InferenceService, settings: Settings, reader: Reader) -> Understood:
    """Return what a service means in its cluster. Raises InputError and Unbuildable."""
    resolved = with_valid_initial_scale(resolve(service, settings, reader), reader)
    return Understood(resolved, components(resolved, reader))
