# SPDX-License-Identifier: GPL-3.0-or-later
"""Which release each service of a run has where its task does not say so: what made its objects, else the one of the cluster's controller.

An object of ours names its release since that is noted; of older ones the shape has to say. A new service in a cluster that names no
release gets the newest one that is proved and whose status the CRD declares. docs/kserve_releases.md tells it as a user sees it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, KindMissing
from ..engine import OWNER_ANNOTATION, RELEASE_ANNOTATION
from ..engine.desired import owner_value, release_of
from ..engine.service_plan import is_record, record_name
from ..engine.snapshot import Kind, Snapshot, take_snapshot
from ..kinds.kind import ServiceKind
from ..kinds.registry import WRITTEN
from ..kinds.release_line import Installations, Installed, MadeAs
from ..kube.crds import declared_status
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.release import ChosenRelease, nearest_reproduced
from ..task.manifest_loader import Document
from .controllers import Controllers
from .installation import definition_of, installation, none_there, reproduced
from .settings import newest

_RECORD: Kind = ("v1", "ConfigMap")


class ReleaseFinder:
    """Finds releases, and sends nothing before somebody asks for one.

    settings: the option of the task. places: the namespaces to list, none for all. listed: what was listed on the way, for whoever plans.
    """

    def __init__(
        self,
        cluster: Cluster,
        fleet: str,
        places: Sequence[str],
        settings: Mapping[str, Any],
    ) -> None:
        self.controllers = Controllers(cluster)
        self.listed = Snapshot({})
        self._cluster = cluster
        self._fleet = fleet
        self._places = places
        self._settings = settings
        self._installed: dict[str, ChosenRelease] = {}
        self._read: dict[Reference, Json | None] = {}

    def find(self, kind: ServiceKind[Any, Any], reference: Reference) -> ChosenRelease:
        """Return the release of a service. Raises ClusterError."""
        self._list([kind.key])
        if kind.key in self.listed.missing:
            self._list([_RECORD])
        parent = self.listed.get(reference) or self.listed.get(
            Reference(*_RECORD, reference.namespace, record_name(reference))
        )
        if parent is not None and owned_by(parent, reference):
            noted = release_of(parent)
            if noted:
                return _noted(kind, parent, noted)
            children = self._children(kind, reference)
            if children:
                return by_shape(kind, [parent, *children])
        if kind.kind not in self._installed:
            self._installed[kind.kind] = self._of_cluster(kind)
        return self._installed[kind.kind]

    def _list(self, kinds: Iterable[Kind]) -> None:
        fresh = [each for each in kinds if each not in self.listed.kinds]
        if fresh:
            self.listed |= take_snapshot(self._cluster, fresh, self._fleet, self._places)

    def _children(self, kind: ServiceKind[Any, Any], service: Reference) -> list[Json]:
        """Return the objects of a service that were made before their release was noted on them."""
        parents = [
            live
            for reference, live in self.listed.objects.items()
            if (reference.api_version, reference.kind) == kind.key
        ]
        oldest = min(kind.releases.backing)
        self._list(kind.children.kinds_at(oldest, parents))
        return [
            live
            for reference, live in self.listed.owned_by(owner_value(service)).items()
            if reference != service and not is_record(reference, service)
        ]

    def _of_cluster(self, kind: ServiceKind[Any, Any]) -> ChosenRelease:
        """Return the release of the cluster's controller; where there is none, the newest one that is proved and that the CRD holds."""
        places = kind.releases.installed
        found = self._installation(kind, places) if places else None
        problems = tuple(self._unseen(kind, found))
        if found is not None:
            return reproduced(kind, found, problems)
        chosen = newest(kind, "nothing in the cluster names a release", self._declared(kind))
        return replace(chosen, problems=problems)

    def _installation(self, kind: ServiceKind[Any, Any], places: Installations) -> Installed | None:
        deployments = (each.live for each in self.controllers.of(kind))
        # Without the kind nothing else is asked about its controller.
        read = none_there if kind.key in self.listed.missing else self._live
        return installation(kind, places, deployments, read, self._settings)

    def _declared(self, kind: ServiceKind[Any, Any]) -> frozenset[str] | None:
        """Return what the CRD of a kind declares of the status, nothing where it may not be read; None where there is no CRD."""
        if kind.key in self.listed.missing:
            return None
        crd = self._live(definition_of(kind))
        return frozenset() if crd is None else declared_status(crd, kind.api_version)

    def _live(self, reference: Reference) -> Json | None:
        if reference not in self._read:
            try:
                self._read[reference] = self._cluster.get(reference)
            except (Forbidden, KindMissing):
                self._read[reference] = None
        return self._read[reference]

    def _unseen(self, kind: ServiceKind[Any, Any], found: Installed | None) -> Iterator[Problem]:
        if kind.kind in self.controllers.not_looked:
            text = (
                f"could not look which release the controller of {kind.kind} has: listing Deployments in all namespaces is not allowed; "
                + (
                    f"{found.seen}"
                    if found
                    else "and nothing else that the account can read names one"
                )
            )
            option = f"releases.{kind.releases.option}"
            yield Problem(option, text, "warning", rule="could-not-look")


def places_of(documents: Iterable[Document], namespace: str | None) -> list[str]:
    """Return the namespaces of the services among documents, whatever else is wrong with these; none for all."""
    found = set()
    for document in documents:
        value = document.value
        if (
            not isinstance(value, dict)
            or (value.get("apiVersion"), value.get("kind")) not in WRITTEN
        ):
            continue
        if WRITTEN[value["apiVersion"], value["kind"]].reaches:
            return []
        metadata = value.get("metadata")
        place = metadata.get("namespace") if isinstance(metadata, dict) else None
        found.add(place if isinstance(place, str) and place else namespace or "")
    return sorted(found - {""})


def owned_by(live: Json, service: Reference) -> bool:
    """Tell whether an object says that it belongs to a service."""
    annotations = live["metadata"].get("annotations") or {}
    return bool(annotations.get(OWNER_ANNOTATION) == owner_value(service))


def _noted(kind: ServiceKind[Any, Any], parent: Json, noted: str) -> ChosenRelease:
    where = f"annotation {RELEASE_ANNOTATION} of {Reference.of(parent)}"
    release = kind.releases.named(noted)
    if release is not None:
        return ChosenRelease(release, "objects", f"it made its objects ({where})")
    near = nearest_reproduced(noted, kind.releases.backing)
    text = (
        f"its objects were made as {near.product} {noted} ({where}), which this version of the collection does not reproduce; use the "
        f"version that made them, or set {near.option} to create them with another release"
    )
    told = Problem(near.option, text, rule="release-not-reproduced")
    return ChosenRelease(near, "objects", where, (told,))


def by_shape(kind: ServiceKind[Any, Any], objects: Sequence[Json]) -> ChosenRelease:
    """Return the release of a service whose objects were made before releases were noted on them: the oldest one that they fit."""
    made_as = kind.releases.made_as
    made = made_as(objects) if made_as else MadeAs(min(kind.releases.backing), "")
    if made.contradiction:
        option = made.release.option
        text = f"its objects were made by two releases: {made.contradiction}; set {option} to choose one"
        told = Problem(option, text, rule="two-releases")
        return ChosenRelease(made.release, "objects", made.contradiction, (told,))
    seen = made.seen or "nothing on them is of a later one"
    return ChosenRelease(
        made.release, "objects", f"its objects, which do not name their release, look so: {seen}"
    )
