# SPDX-License-Identifier: GPL-3.0-or-later
"""A service with the cluster's configuration applied: the input of components, children, routes and status."""

from __future__ import annotations

from dataclasses import dataclass

from ...kube.manifest import Json
from ..kserve.system_config import SystemConfig
from .pods.component import Components
from .settings import Settings
from .spec import InferenceService
from .trained_models import NO_MODELS, TrainedModels

NONE_YET = Components((), None, {})


@dataclass(frozen=True, slots=True)
class Resolved:
    """One service, resolved.

    service: with all defaults. mode: `Standard` or `Knative`. live: the custom resource as the cluster has it, None where it has none.
    components: what it is made of. models: what it serves beside a model of its own. `resolved_service` adds both.
    """

    service: InferenceService
    mode: str
    config: SystemConfig
    settings: Settings
    live: Json | None = None
    components: Components = NONE_YET
    models: TrainedModels = NO_MODELS

    @property
    def generation(self) -> int:
        """The generation of the custom resource, 1 for one that is yet to be created."""
        generation: int = ((self.live or {}).get("metadata") or {}).get("generation") or 1
        return generation

    @property
    def status(self) -> Json:
        """The status that the cluster has, empty where it has none."""
        status: Json = (self.live or {}).get("status") or {}
        return status
