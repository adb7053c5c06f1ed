# SPDX-License-Identifier: GPL-3.0-or-later
"""`absent`: everything of a service goes, by name alone, and nothing is left behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, Conflict, KindMissing
from ..cluster.lease import leases
from ..engine.apply import Execution
from ..engine.deletion_wait import held
from ..engine.informer import Watched
from ..engine.outcome import Outcome
from ..engine.ownership import Owner, ownership
from ..engine.plan import Action, Change
from ..engine.policy import Policy
from ..engine.rights import Need, missing_rights, needs_of
from ..engine.service_plan import deletions
from ..engine.snapshot import Snapshot, take_snapshot
from ..engine.watch_loop import wait
from ..engine.write import Writer
from ..fleet.controllers import Controllers
from ..kinds.kind import ServiceKind
from ..kube.intent import Stage
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from .controller_mode import CONTROLLER, could_not_list, decide
from .remaining_callers import remaining_callers
from .remaining_routes import routes_left
from .remaining_users import still_used

Meant = Sequence[tuple[ServiceKind[Any, Any], Reference]]
#: How often a finalizer is removed again because the object changed in between.
FINALIZER_TRIES = 5


@dataclass(slots=True)
class Removed:
    """What was removed, as far as it came. services: each with who removed its children."""

    services: list[tuple[Reference, str]] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


class Remover:
    """Removes services: their children last stage first, then their custom resource or record.

    removed: what the run did so far, also where `run` raises.
    """

    def __init__(self, cluster: Cluster, policy: Policy, reconciler: str) -> None:
        self._cluster = cluster
        self._policy = policy
        self._wanted = reconciler
        self._controllers = Controllers(cluster)
        self._parents: list[Reference] = []
        self.removed = Removed()

    def run(self, meant: Meant) -> None:
        """Remove the named services.

        Raises InputError where one is another fleet's, may not be removed or still gets requests by another's route, ClusterError where it cannot continue.
        """
        reach = any(kind.reaches for kind, _reference in meant)
        places = {reference.namespace for _kind, reference in meant}
        namespaces = [] if reach else sorted(places)
        kinds = list(dict.fromkeys(pair for kind, _reference in meant for pair in kind.kinds))
        snapshot = take_snapshot(self._cluster, kinds, self._policy.fleet, namespaces)
        changes = self._plan(meant, snapshot)
        self.removed.warnings += could_not_list(snapshot)
        if not changes:
            return
        gone = {reference for dummy, reference in meant}
        self.removed.warnings += remaining_callers(self._cluster, gone)
        self._check_rights(meant, changes)
        if self._policy.dry_run:
            self._execute(meant, changes, lambda dummy: None)
            return
        written = sorted({change.service.namespace for change in changes})
        with leases(self._cluster, self._policy.fleet, written, self._policy.home) as check:
            snapshot = take_snapshot(self._cluster, kinds, self._policy.fleet, namespaces)
            changes = self._plan(meant, snapshot)
            self._execute(meant, changes, check)

    def _check_rights(self, meant: Meant, changes: Sequence[Change]) -> None:
        finalizers = {reference: kind.finalizers for kind, reference in meant}
        needs = list(needs_of(changes, self._policy.fleet, self._policy.home))
        for change in changes:
            known = finalizers.get(change.reference, ()) if self._wanted != CONTROLLER else ()
            if set(known) & set((change.live or {})["metadata"].get("finalizers") or []):
                needs.append(Need(change.service, "patch", change.reference))
        if problems := missing_rights(self._cluster, needs):
            raise InputError(
                Complaint(str(service), tuple(found)) for service, found in problems.items()
            )

    def _plan(self, meant: Meant, snapshot: Snapshot) -> list[Change]:
        changes: list[Change] = []
        complaints: list[Complaint] = []
        self._parents = []
        self.removed.services.clear()
        for kind, reference in meant:
            ours = deletions(snapshot, reference, keep=set(), reason="the service is to be absent")
            live = snapshot.get(reference) or self._read(reference, snapshot)
            reconciler = (
                decide(self._wanted, kind, reference, snapshot, live, self._controllers)
                if live
                else "direct"
            )
            self.removed.services.append((reference, reconciler))
            if live is not None:
                self._parents.append(reference)
                owned = ownership(live, reference, self._policy.fleet)
                if owned.owner is Owner.OTHER_FLEET:
                    text = f"{reference} is not removed: {owned.text}; set fleet to that name"
                    complaints.append(Complaint(str(reference), (Problem("fleet", text),)))
                elif not any(change.reference == reference for change in ours):
                    ours.append(
                        Change(
                            Action.DELETE,
                            reference,
                            reference,
                            Stage.PARENT,
                            None,
                            live,
                            "the service is to be absent",
                        )
                    )
            changes += ours
        removed = {reference for dummy, reference in meant}
        complaints += still_used(self._cluster, removed, snapshot)
        complaints += [
            Complaint(str(service), (problem,))
            for service, problem in routes_left(snapshot, removed, changes)
        ]
        if complaints:
            raise InputError(complaints)
        return changes

    def _read(self, reference: Reference, snapshot: Snapshot) -> Json | None:
        if (reference.api_version, reference.kind) in snapshot.missing:
            return None
        try:
            return self._cluster.get(reference)
        except KindMissing:
            return None

    def _execute(
        self, meant: Meant, changes: Sequence[Change], guard: Callable[[str], object]
    ) -> None:
        """Delete, and take away the finalizer of a controller that is not there to do it.

        Where the controller runs, it removes its own children once the custom resource is being deleted.
        """
        writer = Writer(self._cluster, self._policy, frozenset(), guard)
        execution = Execution(self._cluster, writer)
        try:
            execution.delete(changes)
        finally:
            self.removed.outcomes += execution.outcomes
        deleted = {
            outcome.reference for outcome in execution.outcomes if outcome.action == "deleted"
        }
        for kind, reference in meant:
            if reference in deleted and kind.finalizers and not self._policy.dry_run:
                try:
                    self._remove_finalizers(kind, reference)
                except ClusterError as error:
                    failed = Outcome(reference, reference, "failed", str(error))
                    self.removed.outcomes.append(failed)

    def _remove_finalizers(self, kind: ServiceKind[Any, Any], reference: Reference) -> None:
        if self._wanted == CONTROLLER:
            return
        for _attempt in range(FINALIZER_TRIES):
            live = self._cluster.get(reference, metadata_only=True)
            finalizers = (live or {}).get("metadata", {}).get("finalizers") or []
            kept = [name for name in finalizers if name not in kind.finalizers]
            if live is None or kept == finalizers or self._controllers.seen(kind):
                return
            metadata = {
                "finalizers": kept,
                "uid": live["metadata"]["uid"],
                "resourceVersion": live["metadata"]["resourceVersion"],
            }
            try:
                self._cluster.patch(reference, {"metadata": metadata}, kind="merge")
            except Conflict:
                continue
            return
        raise ClusterError(f"{reference}: it kept changing while its finalizer was removed")

    def wait(
        self, timeout: float, clock: Callable[[], float], progress: Callable[[str], None]
    ) -> list[str]:
        """Wait until the custom resources are gone; return a text for each that is not. Raises ClusterError."""
        if not self._parents:
            return []
        kinds = {(parent.api_version, parent.kind) for parent in self._parents}
        namespaces = tuple(sorted({parent.namespace for parent in self._parents}))
        watched = [Watched(*kind, namespaces=namespaces) for kind in sorted(kinds)]
        left = _Left(set(self._parents), progress)
        if wait(self._cluster, watched, left, timeout, clock):
            return []
        return [
            f"{reference} is still there after {timeout:.0f} s: {held(live)}"
            for reference, live in sorted(left.there.items())
        ]


class _Left:
    """Sees custom resources go. there: those that are left, as seen last."""

    def __init__(self, parents: set[Reference], progress: Callable[[str], None]) -> None:
        self._awaited = parents
        self._progress = progress
        self.there: dict[Reference, Json] = {}

    def see(self, reference: Reference, live: Json | None) -> None:
        """Take note of a custom resource."""
        if reference not in self._awaited:
            return
        if live is not None:
            self.there[reference] = live
        elif self.there.pop(reference, None):
            self._progress(f"{reference}: gone")

    def content(self) -> bool:
        """Tell whether all are gone."""
        return not self.there
