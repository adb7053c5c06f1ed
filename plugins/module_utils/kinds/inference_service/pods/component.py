# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service's components are made of: the input of each child builder, in either deployment mode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....kube.manifest import Json
from ...kserve.service import is_stopped
from ..canaries import Canary
from ..names import Role
from ..runtimes.runtime import Runtime

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Workers:
    """The other nodes of a predictor that one node cannot hold.

    labels, annotations, pod: as in Component. replicas: how many, the head not counted.
    service: the name of the Service by which they are found, for releases that make one.
    """

    name: str
    labels: Texts
    annotations: Texts
    pod: Json
    replicas: int
    service: str


@dataclass(frozen=True, slots=True)
class Component:
    """One component.

    name: of all its objects. labels, annotations: of those objects and of the pods alike; `app` is not among them.
    pod: the pod spec as a Knative revision gets it: without the defaults that Standard mode writes, before KServe's pod webhook.
    spec: the component's part of the service's spec: `minReplicas`, `scaleTarget`, `autoScaling`, `timeout`, `deploymentStrategy`, …
    workers: of a multi-node predictor; `head_service` is then the name of the Service by which they find their head.
    multi_model: the models come from the ConfigMap `names.model_config`, one after another.
    canary: what it is beside the predictor, None for the component itself. available: whether a canary has a pod that answers.
    """

    role: Role
    name: str
    labels: Texts
    annotations: Texts
    pod: Json
    spec: Json
    workers: Workers | None = None
    head_service: str = ""
    multi_model: bool = False
    canary: Canary | None = None
    available: bool = False

    @property
    def field(self) -> str:
        """Where it is written."""
        return f"{self.canary.field}.predictor" if self.canary else f"spec.{self.role}"

    @property
    def has_agent(self) -> bool:
        """Whether requests go through the agent first, which logs or gathers them."""
        return self.spec.get("logger") is not None or self.spec.get("batcher") is not None

    @property
    def stopped(self) -> bool:
        """Whether its annotations stop it: the annotation of a service counts for its components, too."""
        return is_stopped(self.annotations)


@dataclass(frozen=True, slots=True)
class Components:
    """All components of a service, in the controller's order.

    canaries: of the predictor, beside it. runtime: what serves the predictor's model; None for a predictor with a container of its own.
    labels: the service's, with those that the runtime asks for; routes get these.
    """

    items: tuple[Component, ...]
    runtime: Runtime | None
    labels: Texts
    canaries: tuple[Component, ...] = ()

    @property
    def workloads(self) -> tuple[Component, ...]:
        """All that pods are made of, the canaries behind the others."""
        return (*self.items, *self.canaries)

    def of(self, role: Role) -> Component:
        """Return the component of a role that the service has."""
        return next(each for each in self.items if each.role == role)

    @property
    def some_stopped(self) -> bool:
        """Whether a component is stopped by itself, so that the service has no way in."""
        return any(each.stopped for each in self.items)
