# SPDX-License-Identifier: GPL-3.0-or-later
"""An InferenceService, as everything behind the door reads it. Source: serving.kserve.io/v1beta1 of KServe v0.17.0."""

from __future__ import annotations

from dataclasses import dataclass

from ...kube.manifest import Json
from ...kube.reference import Reference
from ...kube.release import Since
from ..kserve.releases import KServe
from ..kserve.service import GROUP, KServeService
from .names import Role, component

API_VERSION = f"{GROUP}/v1beta1"
KIND = "InferenceService"

#: In the order in which the controller looks after them.
ROLES: tuple[Role, ...] = ("predictor", "transformer", "explainer")
#: Whether a route is called by its component alone. Source: httproute_reconciler.go at aaac4e294dae.
_KEEPS_ROUTE: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})


@dataclass(frozen=True, slots=True)
class InferenceService(KServeService):
    """One service.

    labels, annotations, spec: with defaults. Never changed in place. A service that was loaded has those of its schema;
    `defaulting.defaulted` adds those of KServe's webhook, which depend on the cluster's configuration.
    """

    spec: Json

    @property
    def reference(self) -> Reference:
        """The name of the custom resource."""
        return Reference(API_VERSION, KIND, self.namespace, self.name)

    def component(self, role: Role) -> Json | None:
        """Return the part of the spec that describes one component, None where the service has none."""
        found: Json | None = self.spec.get(role)
        return found

    def component_name(self, role: Role) -> str:
        """Return the name of all objects of a component."""
        variant = self.spec["predictor"].get("name") if role == "predictor" else None
        return component(self.name, role, variant or "")

    def route_name(self, role: Role, release: KServe) -> str:
        """Return the name of a component's route, which also begins its host: later it stays while a predictor's name changes."""
        return component(self.name, role) if _KEEPS_ROUTE.at(release) else self.component_name(role)

    @property
    def roles(self) -> tuple[Role, ...]:
        """The components that the service has, in the controller's order."""
        return tuple(role for role in ROLES if self.component(role) is not None)
