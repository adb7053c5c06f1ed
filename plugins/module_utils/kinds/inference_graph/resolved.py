# SPDX-License-Identifier: GPL-3.0-or-later
"""A graph with everything that it means in its cluster, which its children and its status are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...kube.manifest import Json
from ..kserve.autoscaler_class import AUTOSCALER_HPA, AutoscalerClass
from ..kserve.modes import STANDARD
from ..kserve.system_config import Deploy, Router
from . import labels
from .settings import Settings
from .spec import InferenceGraph


@dataclass(frozen=True, slots=True)
class Resolved:
    """One graph. Of a stopped one nothing else is worked out.

    mode: `Standard` or `Knative`. annotations: the author's, as far as Knative takes them. spec: with the URL of each step.
    services: the InferenceServices that steps name, by name.
    In Standard mode, url: what the status says; autoscaler: who scales; headless: whether the Service has no address of its own.
    """

    graph: InferenceGraph
    settings: Settings
    mode: str = STANDARD
    annotations: Mapping[str, str] = field(default_factory=dict)
    router: Router = field(default_factory=Router)
    deploy: Deploy = field(default_factory=Deploy)
    spec: Json = field(default_factory=dict)
    services: Mapping[str, Json] = field(default_factory=dict)
    autoscaler: AutoscalerClass = AUTOSCALER_HPA
    url: str = ""
    headless: bool = False

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of every child and of the pods in Standard mode."""
        return {**self.graph.labels, **labels.graph(self.graph.name)}
