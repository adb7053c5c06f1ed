# SPDX-License-Identifier: GPL-3.0-or-later
"""The program in the cluster that reconciles a kind: found by the labels of its Deployment, stopped, and started again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import Conflict
from ..kube import gvk
from ..kube.labels import selector_text
from ..kube.manifest import Json, value_at
from ..kube.reference import Reference
from . import PREFIX
from .informer import Watched
from .watch_loop import wait

#: Annotation of a Deployment that was stopped: how many replicas it is started with again.
REPLICAS_ANNOTATION = f"{PREFIX}replicas"

#: How often it is scaled before a status that never rests ends it.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Controller:
    """One Deployment of a controller, as it was read."""

    live: Json

    @property
    def reference(self) -> Reference:
        """Which Deployment it is."""
        meta = self.live["metadata"]
        return Reference(gvk.APPS, "Deployment", meta["namespace"], meta["name"])

    @property
    def replicas(self) -> int:
        """How many pods it is to have."""
        return int((self.live.get("spec") or {}).get("replicas", 1))

    @property
    def remembered(self) -> int:
        """How many it had before it was stopped here, 0 where it was not."""
        noted = value_at(self.live, ("metadata", "annotations", REPLICAS_ANNOTATION))
        return int(noted) if str(noted or "").isdigit() else 0

    @property
    def runs(self) -> bool:
        """Whether it has pods, or is to have some."""
        return self.replicas > 0 or bool(value_at(self.live, ("status", "replicas")))

    @property
    def images(self) -> list[str]:
        """What its containers run."""
        containers = value_at(self.live, ("spec", "template", "spec", "containers")) or []
        return [str(each.get("image", "")) for each in containers]

    @property
    def pods(self) -> Watched:
        """Its pods, to be watched."""
        selector = value_at(self.live, ("spec", "selector")) or {}
        return Watched("v1", "Pod", (self.reference.namespace,), selector_text(selector))


def find(cluster: Cluster, labels: Mapping[str, str]) -> list[Controller]:
    """Return the Deployments with these labels, in any namespace. Raises Forbidden where looking is not allowed."""
    listing = cluster.list(gvk.APPS, "Deployment", selector=selector_text(labels))
    return [Controller(item) for item in listing.items]


def stop(cluster: Cluster, controller: Controller, *, dry_run: bool) -> Controller:
    """Scale a controller to nothing and note on it how many replicas it had. Raises Conflict where somebody else scales it."""
    return _scale(cluster, controller, 0, str(controller.replicas), dry_run=dry_run)


def start(cluster: Cluster, controller: Controller, *, dry_run: bool) -> Controller:
    """Give a controller the replicas back that were noted. Raises Conflict where somebody else scales it."""
    return _scale(cluster, controller, controller.remembered, None, dry_run=dry_run)


def _scale(
    cluster: Cluster, controller: Controller, replicas: int, note: str | None, *, dry_run: bool
) -> Controller:
    """Write both in one patch. A Deployment whose status alone moved on, as it does while its pods start, is read again."""
    found = controller
    for _attempt in range(_TRIES - 1):
        try:
            return _patch(cluster, found, replicas, note, dry_run=dry_run)
        except Conflict:
            live = cluster.get(controller.reference)
            if live is None or not _as_read(Controller(live), controller):
                raise
            found = Controller(live)
    return _patch(cluster, found, replicas, note, dry_run=dry_run)


def _as_read(now: Controller, before: Controller) -> bool:
    """Return whether it is the same Deployment, and nobody scaled it."""
    same = now.live["metadata"]["uid"] == before.live["metadata"]["uid"]
    return same and (now.replicas, now.remembered) == (before.replicas, before.remembered)


def _patch(
    cluster: Cluster, controller: Controller, replicas: int, note: str | None, *, dry_run: bool
) -> Controller:
    meta = controller.live["metadata"]
    patch: dict[str, Any] = {
        "metadata": {
            "uid": meta["uid"],
            "resourceVersion": meta["resourceVersion"],
            "annotations": {REPLICAS_ANNOTATION: note},
        },
        "spec": {"replicas": replicas},
    }
    return Controller(cluster.patch(controller.reference, patch, kind="merge", dry_run=dry_run))


class _Until:
    """Keeps what is there, and is content once a condition holds for it."""

    def __init__(self, condition: Callable[[Mapping[Reference, Json]], bool]) -> None:
        self._there: dict[Reference, Json] = {}
        self._condition = condition

    def see(self, reference: Reference, live: Json | None) -> None:
        if live is None:
            self._there.pop(reference, None)
        else:
            self._there[reference] = live

    def content(self) -> bool:
        return self._condition(self._there)


def wait_until_stopped(
    cluster: Cluster,
    controllers: Sequence[Controller],
    timeout: float,
    clock: Callable[[], float],
) -> bool:
    """Wait until no pod of the controllers is left; one that is ending may still write. False where the time (seconds) is up."""
    nobody = _Until(lambda pods: not pods)
    return wait(cluster, [each.pods for each in controllers], nobody, timeout, clock)


def wait_until_started(
    cluster: Cluster,
    controllers: Sequence[Controller],
    timeout: float,
    clock: Callable[[], float],
) -> bool:
    """Wait until each controller has a pod that is ready. False where the time (seconds) is up."""
    wanted = {each.reference for each in controllers}
    namespaces = tuple(sorted({reference.namespace for reference in wanted}))

    def ready(deployments: Mapping[Reference, Json]) -> bool:
        return all(
            value_at(deployments.get(reference, {}), ("status", "readyReplicas"))
            for reference in wanted
        )

    watched = [Watched(gvk.APPS, "Deployment", namespaces)]
    return wait(cluster, watched, _Until(ready), timeout, clock)
