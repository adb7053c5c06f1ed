# SPDX-License-Identifier: GPL-3.0-or-later
"""Which release of which component a set holds: what it stands on, and from where it may be upgraded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..bundles.components import COMPONENTS, Component, refused_release
from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..engine.applyset.members import VERSION_ANNOTATION
from ..kube.applyset import GroupKind
from ..kube.crds import definitions
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.wording import few

_SERVICE = ("serving.kserve.io/v1beta1", "InferenceService")
_MODE = "serving.kserve.io/deploymentMode"
#: Modes that releases before 0.16 wrote, and that later ones refuse on every update.
_LEGACY = frozenset({"RawDeployment", "Serverless"})
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Release:
    """component: None for a set of which nothing is known. version: empty where the task names none."""

    component: Component | None
    version: str

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Release:
        """Return what a task names."""
        return cls(COMPONENTS.get(params["component"] or ""), params["version"] or "")

    @property
    def leases(self) -> tuple[str, ...]:
        """The Leases of its leaders."""
        return self.component.leases if self.component else ()

    def problems(
        self, cluster: Cluster, parent: Json | None, manifests: Sequence[Json]
    ) -> list[Problem]:
        """Return what forbids to install this release, before anything is written. Costs no request where nothing is to be done."""
        old = noted_version(parent)
        found = list(refused_release(self.component, self.version, old))
        if old == self.version and parent is not None:
            return found
        found += self._missing(cluster, manifests)
        if self.component is not None and self.component.name == "kserve":
            found += _legacy_modes(cluster, self.version)
        return found

    def _missing(self, cluster: Cluster, manifests: Sequence[Json]) -> Iterator[Problem]:
        """Yield the kinds that the component stands on and that neither the cluster nor the bundle has."""
        brought = definitions(manifests)
        for kind, by in self.component.needs.items() if self.component else ():
            if kind in brought or _is_served(cluster, kind):
                continue
            text = f"it stands on {kind}, which the cluster does not serve; install the component {by} first"
            yield Problem("component", text, rule="missing-dependency")


def noted_version(parent: Json | None) -> str:
    """Return the release that a parent says its set holds, empty where it says nothing."""
    annotations = (parent or {}).get("metadata", {}).get("annotations") or {}
    return str(annotations.get(VERSION_ANNOTATION) or "")


def _is_served(cluster: Cluster, kind: GroupKind) -> bool:
    facts = cluster.preferred(kind.group, kind.kind)
    return facts is not None and not cluster.unserved([(facts.api_version, facts.kind)])


def _legacy_modes(cluster: Cluster, version: str) -> Iterator[Problem]:
    """Yield a problem for services whose deployment mode the release refuses, also where only a finalizer is to be removed."""
    try:
        services = cluster.list(*_SERVICE).items
    except ClusterError:
        return
    held = []
    for each in services:
        metadata = each["metadata"]
        modes = {
            (metadata.get("annotations") or {}).get(_MODE),
            value_at(each, ("status", "deploymentMode")),
        }
        if modes & _LEGACY:
            held.append(f"{metadata['namespace']}/{metadata['name']}")
    if held and version:
        text = (
            f"{len(held)} InferenceServices still have a deployment mode of releases before 0.16, which every later release refuses: "
            f"{few(held, _NAMED)}; write Standard for RawDeployment and Knative for Serverless into annotation and status first"
        )
        yield Problem("version", text, rule="legacy-mode")
