# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtimes and TrainedModels of a set, judged as KServe's webhooks judge them, by the release that the set or the cluster has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, KindMissing
from ..fleet.cluster_reader import ClusterReader
from ..fleet.controllers import Controllers
from ..fleet.installation import GivenReleases, installation, reproduced
from ..fleet.settings import newest
from ..kinds.inference_service.input_schemas import shapes
from ..kinds.inference_service.judged_objects import judged_objects
from ..kinds.inference_service.kind import INFERENCE_SERVICE
from ..kinds.inference_service.settings import Settings, make_settings
from ..kube import gvk
from ..kube.input_schemas import COMMON, input_problems, merged_shapes
from ..kube.manifest import Json
from ..kube.planned_objects import PlannedObjects
from ..kube.problem import Problem
from ..kube.reader import GivenObjects
from ..kube.reference import Reference
from ..kube.release import ControllerRelease

_ANY = Reference(INFERENCE_SERVICE.api_version, INFERENCE_SERVICE.kind, "", "")


def judged_in_cluster(
    cluster: Cluster, manifests: Sequence[Json], written: Collection[Reference]
) -> dict[Reference, list[Problem]]:
    """Return by object what is wrong with those that a set writes. manifests: all of the set. Raises ClusterError."""
    there = ClusterReader(cluster, common=INFERENCE_SERVICE.common_kinds)
    wanted = [each for each in manifests if Reference.of(each) in written]
    around = PlannedObjects(there, _sound(manifests))
    return judged_objects(wanted, around, there, _settings(cluster, manifests))


def judged_alone(manifests: Sequence[Json]) -> dict[Reference, list[Problem]]:
    """Return by object what is wrong with those of a set, each beside the others."""
    release = GivenReleases(manifests, {}).find(INFERENCE_SERVICE, _ANY).release
    around = GivenObjects(_sound(manifests))
    return judged_objects(manifests, around, GivenObjects(), _settings_of(release))


def _sound(manifests: Sequence[Json]) -> list[Json]:
    """Return the objects whose parts have the types that readers expect; what is wrong with the others is reported where they are judged."""
    known = merged_shapes((COMMON, shapes()))
    return [each for each in manifests if not any(True for dummy in input_problems(each, known))]


def _settings(cluster: Cluster, manifests: Sequence[Json]) -> Settings:
    """Return the release of KServe whose webhooks are repeated: that of the set, or else of the cluster."""
    kind = INFERENCE_SERVICE
    places = kind.releases.installed
    given = GivenObjects(_sound(manifests))

    def read(reference: Reference) -> Json | None:
        try:
            return given.get(reference) or cluster.get(reference)
        except (Forbidden, KindMissing):
            return None

    def running() -> Iterator[Json]:
        yield from (each.live for each in Controllers(cluster).of(kind))

    deployments = chain(given.list(gvk.APPS, "Deployment", "", kind.controller), running())
    found = installation(kind, places, deployments, read, {}) if places else None
    return _settings_of((reproduced(kind, found) if found else newest(kind, "")).release)


def _settings_of(release: ControllerRelease) -> Settings:
    return make_settings({}, {INFERENCE_SERVICE.releases.option: str(release)})
