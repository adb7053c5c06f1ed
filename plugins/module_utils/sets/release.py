# SPDX-License-Identifier: GPL-3.0-or-later
"""Which release of which component a set holds: what it depends on, and from where it may be upgraded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..bundles.components import COMPONENTS, Component, refused_release
from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..engine.applyset.members import COMPONENT_ANNOTATION, VERSION_ANNOTATION
from ..kube import crds, gvk
from ..kube.applyset import MemberKey
from ..kube.crds import bundle_release, definitions, is_older
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.text import few
from ..kube.three_way_merge import parse_base

_SERVICE = (gvk.KSERVE_V1BETA1, "InferenceService")
_MODE = "serving.kserve.io/deploymentMode"
#: Modes that releases before 0.16 wrote and that later ones refuse on every update, with today's words.
_LEGACY = {"RawDeployment": "Standard", "Serverless": "Knative"}
_NAMED = 5
#: A CRD of each component that notes its release there.
_NOTED = {
    "gateway_api": "httproutes.gateway.networking.k8s.io",
    "inference_extension": "inferencepools.inference.networking.k8s.io",
}


@dataclass(frozen=True, slots=True)
class SetRelease:
    """component: None for a set of which nothing is known. version: empty where the task names none."""

    component: Component | None
    version: str

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> SetRelease:
        """Return what a task names."""
        return cls(COMPONENTS.get(params["component"] or ""), params["version"] or "")

    def noted(self, parent: Json | None) -> SetRelease:
        """Return the same with the component that a parent notes, where the task names none."""
        if self.component is not None:
            return self
        return replace(self, component=COMPONENTS.get(_noted(parent, COMPONENT_ANNOTATION)))

    @property
    def name(self) -> str:
        """The component's name, empty where nothing is known."""
        return self.component.name if self.component else ""

    @property
    def edited(self) -> tuple[str, ...]:
        """Its ConfigMaps that people edit."""
        return self.component.edited if self.component else ()

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

    def older_beneath(self, cluster: Cluster, parent: Json | None, place: str) -> list[Problem]:
        """Return a warning for each component of an older release than this one is made for. place: the namespace of sets.

        Costs a request for each, and none where the release stays.
        """
        if self.component is None or noted_version(parent) == self.version:
            return []
        return [
            Problem(
                "component",
                f"{self.name} {self.version} is made for {name} {wanted}, and the cluster has {found}; upgrade the component {name} first",
                "warning",
                rule="older-dependency",
            )
            for name, wanted in self.component.stands_on(self.version).items()
            if is_older(found := _release_there(cluster, name, place), wanted)
        ]

    def changed_default(
        self, cluster: Cluster, live: Mapping[MemberKey, Json], manifests: Sequence[Json]
    ) -> list[Problem]:
        """Return a problem where the default mode changes under services that name none. manifests: as they are to be applied."""
        return [
            problem
            for each in manifests
            if each["kind"] == "ConfigMap" and each["metadata"]["name"] in self.edited
            for problem in _moved_by_default(
                cluster, live.get(MemberKey.of(Reference.of(each))), each
            )
        ]

    def _missing(self, cluster: Cluster, manifests: Sequence[Json]) -> Iterator[Problem]:
        """Yield the kinds that the component depends on and that neither the cluster nor the bundle has."""
        brought = definitions(manifests)
        needed = self.component.needed(self.version) if self.component else {}
        for kind, by in needed.items():
            if kind in brought or cluster.has(kind.group, kind.kind):
                continue
            text = f"it depends on {kind}, which the cluster does not serve; install the component {by} first"
            yield Problem("component", text, rule="missing-dependency")


def _release_there(cluster: Cluster, component: str, place: str) -> str:
    """Return the release of a component in the cluster, empty where nothing says it or it may not be read."""
    try:
        if component in _NOTED:
            live = cluster.get(Reference(crds.API_VERSION, crds.KIND, "", _NOTED[component]))
            return bundle_release(live) if live else ""
        return noted_version(
            cluster.get(Reference("v1", "ConfigMap", place, component.replace("_", "-")))
        )
    except ClusterError:
        return ""


def noted_version(parent: Json | None) -> str:
    """Return the release that a parent says its set holds, empty where it says nothing."""
    return _noted(parent, VERSION_ANNOTATION)


def _noted(parent: Json | None, annotation: str) -> str:
    annotations = (parent or {}).get("metadata", {}).get("annotations") or {}
    return str(annotations.get(annotation) or "")


def _services(cluster: Cluster) -> Iterator[tuple[str, set[str]]]:
    """Yield each InferenceService with the modes that its annotation and its status name; none where they cannot be looked at."""
    try:
        services = cluster.list(*_SERVICE).items
    except ClusterError:
        return
    for each in services:
        metadata = each["metadata"]
        modes = {
            str((metadata.get("annotations") or {}).get(_MODE) or ""),
            str(value_at(each, ("status", "deploymentMode")) or ""),
        }
        yield f"{metadata['namespace']}/{metadata['name']}", modes - {""}


def _legacy_modes(cluster: Cluster, version: str) -> Iterator[Problem]:
    """Yield a problem for services whose deployment mode the release refuses, also where only a finalizer is to be removed."""
    held = [name for name, modes in _services(cluster) if modes & _LEGACY.keys()]
    if held and version:
        text = (
            f"{len(held)} InferenceServices still have a deployment mode of releases before 0.16, which every later release refuses: "
            f"{few(held, _NAMED)}; write Standard for RawDeployment and Knative for Serverless into annotation and status first"
        )
        yield Problem("version", text, rule="legacy-mode")


def _moved_by_default(cluster: Cluster, live: Json | None, wanted: Json) -> Iterator[Problem]:
    """Yield a problem for services that would get another mode, since neither they nor their status name one."""
    old, new = _default_mode(live), _default_mode(wanted)
    if live is None or old == new:
        return
    moved = [name for name, modes in _services(cluster) if not modes]
    if moved:
        text = (
            f"defaultDeploymentMode changes from {old} to {new}, and {len(moved)} InferenceServices name no mode and would follow: "
            f"{few(moved, _NAMED)}; annotate them with {_MODE} first, or set transform.config to keep {old}"
        )
        yield Problem("version", text, rule="default-mode")


def _default_mode(config: Json | None) -> str:
    """Return the mode of services that name none, in today's words. Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go@v0.17.0."""
    deploy = parse_base(str(((config or {}).get("data") or {}).get("deploy") or "")) or {}
    mode = str(deploy.get("defaultDeploymentMode") or "Knative")
    return _LEGACY.get(mode, mode)
