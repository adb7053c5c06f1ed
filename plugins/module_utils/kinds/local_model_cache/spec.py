# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache of a model, as everything behind the door reads it. Source: serving.kserve.io/v1alpha1 of KServe v0.20.0."""

from __future__ import annotations

from dataclasses import dataclass

from ...kube.manifest import Json
from ...kube.reference import Reference
from ..kserve.local_models import API_VERSION
from ..kserve.service import KServeService


@dataclass(frozen=True, slots=True)
class LocalModelCache(KServeService):
    """One cache, of the whole cluster where its namespace is empty. spec: with the defaults of its schema."""

    spec: Json

    @property
    def kind(self) -> str:
        """Its kind, which says whether it is of a namespace."""
        return str(self.document["kind"])

    @property
    def reference(self) -> Reference:
        """The name of the custom resource."""
        return Reference(API_VERSION, self.kind, self.namespace, self.name)

    @property
    def source(self) -> str:
        """The address of the model."""
        return str(self.spec["sourceModelUri"])

    @property
    def groups(self) -> tuple[str, ...]:
        """Its groups of nodes, each once; the first is that of services that name none."""
        return tuple(dict.fromkeys(self.spec["nodeGroups"]))
