# SPDX-License-Identifier: GPL-3.0-or-later
"""One service compiled, with its children as they are applied."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from ..engine.desired import Desired, desired
from ..fleet.service import Service
from ..kube.intent import Intent
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference


@dataclass(slots=True)
class CompiledService:
    """One service compiled, and who reconciles it. document: its custom resource as it is applied. basis and below: see `Intent`."""

    service: Service
    document: Json
    children: tuple[Desired, ...]
    reconciler: str
    basis: Any = None
    nothing: bool = False
    of_generation: bool = False
    peers: tuple[Reference, ...] = ()

    @property
    def reference(self) -> Reference:
        """The name of the service."""
        return self.service.reference

    def api_problems(self, written: Iterable[Reference]) -> list[Problem]:
        """Return what the API server would refuse of children that are written."""
        manifests = {child.reference: child.manifest("", create=True) for child in self.children}
        asked = [manifests[each] for each in written if each in manifests]
        return self.service.api_problems(self.basis, list(manifests.values()), asked)

    def advice(self, reader: Reader, run: Collection[Reference] = frozenset()) -> list[Problem]:
        """Return what checks say of the service that takes longer to find, or a look at the cluster. run: what all services make."""
        manifests = [child.manifest("") for child in self.children]
        return self.service.advice(self.basis, manifests, reader, run)


def made_by(targets: Iterable[CompiledService]) -> frozenset[Reference]:
    """Return the children of all services of a run."""
    return frozenset(child.reference for target in targets for child in target.children)


def compiled_service(
    service: Service, intent: Intent, fleet: str, reconciler: str
) -> CompiledService:
    """Return a compiled service with its children as they are applied for a fleet."""
    noted = service.noted_release
    children = tuple(desired(child, service.reference, fleet, noted) for child in intent.children)
    return CompiledService(
        service,
        intent.parent,
        children,
        reconciler,
        intent.basis,
        intent.nothing,
        intent.of_generation,
        intent.peers,
    )
