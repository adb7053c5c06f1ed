# SPDX-License-Identifier: GPL-3.0-or-later
"""Doing what was planned: applies stage by stage, then deletions in reverse, each object with its own outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, Conflict
from ..kube import managed_fields
from ..kube.intent import Stage
from ..kube.manifest import Json, put_at, value_at
from ..kube.reference import Reference
from . import FIELD_MANAGER, HANDOVER_MANAGER
from .adopt import foresee, handed_over, take_over
from .compare import Difference, difference
from .desired import PLACEHOLDER_UID, Desired
from .give_back import give_back
from .plan import Action, Change, ServicePlan
from .policy import Policy
from .ports import renumbered
from .predecessors import controllers

#: How long a deleted object may take to vanish before it is made again: tries, and seconds between them.
GONE_TRIES, GONE_PAUSE_S = 120, 0.5
#: How often a delete is tried again because the object's status changed in between.
DELETE_TRIES = 5
#: How many fields a reason names.
NAMED_FIELDS = 5

PAST = {
    Action.CREATE: "created",
    Action.UPDATE: "updated",
    Action.ADOPT: "adopted",
    Action.RECREATE: "recreated",
    Action.DELETE: "deleted",
    Action.GIVE_BACK: "given back",
}
#: What changes an object even where every field stays as it was.
CAME_OR_WENT = frozenset({"created", "deleted", "recreated", "adopted", "given back"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one object. action: created, updated, adopted, recreated, deleted, given back, unchanged, failed or skipped.

    live: the object as the server answered; None where it is gone or nothing was sent.
    """

    reference: Reference
    service: Reference
    action: str
    reason: str
    difference: Difference | None = None
    live: Json | None = None

    @property
    def changed(self) -> bool:
        """Whether a field that we send is another than before, or the object came, went or changed hands."""
        return self.action in CAME_OR_WENT or bool(self.difference and self.difference.changed)


class Execution:
    """One pass over the plans. Keeps who failed, so that dependants are skipped and nothing of theirs is pruned.

    guard: called with the service's namespace before each write to a cluster-scoped object, which the Lease of that namespace does not
    see by itself; raises LeaseLost where another run took over.
    """

    def __init__(
        self,
        cluster: Cluster,
        policy: Policy,
        new_namespaces: frozenset[str],
        guard: Callable[[str], object],
    ) -> None:
        self._cluster = cluster
        self._guard = guard
        self._policy = policy
        self._new_namespaces = new_namespaces
        self._failed: dict[Reference, Reference] = {}
        self.outcomes: list[Outcome] = []

    def apply(self, plans: Sequence[ServicePlan]) -> None:
        """Apply all creates and updates, a stage of every service before the next stage of any."""
        by_service = {plan.service: plan for plan in plans}
        for stage in Stage:
            batch = [change for plan in plans for change in plan.changes if change.stage is stage]
            self._run(batch, lambda change: self._apply_one(change, by_service[change.service]))
            if stage is Stage.PARENT:
                self._know_parents(by_service)

    def _know_parents(self, plans: Mapping[Reference, ServicePlan]) -> None:
        """Keep the custom resources as they were answered: their children need their uids."""
        for outcome in self.outcomes:
            plan = plans[outcome.service]
            if outcome.reference == plan.parent.reference and outcome.live:
                plan.parent_live = outcome.live

    def delete(self, changes: Iterable[Change]) -> None:
        """Delete in reverse order of stages; a service with a failure keeps everything it has."""
        for stage in reversed(Stage):
            self._run([change for change in changes if change.stage is stage], self._delete_one)

    def _run(self, batch: Sequence[Change], act: Callable[[Change], Outcome]) -> None:
        ready = []
        for change in batch:
            if culprit := self._failed.get(change.service):
                self.outcomes.append(
                    Outcome(change.reference, change.service, "skipped", f"{culprit} failed")
                )
            else:
                ready.append(change)
        answers = self._cluster.parallel([partial(act, change) for change in ready])
        for change, answer in zip(ready, answers, strict=True):
            if isinstance(answer, Outcome):
                self.outcomes.append(answer)
            elif isinstance(answer, ClusterError):
                self._failed.setdefault(change.service, change.reference)
                self.outcomes.append(
                    Outcome(change.reference, change.service, "failed", str(answer))
                )
            else:
                raise answer

    def _apply_one(self, change: Change, plan: ServicePlan) -> Outcome:
        self._check_lease(change)
        if change.action is Action.GIVE_BACK:
            return self._give_back(change, plan)
        wanted = change.desired
        if wanted is None:
            raise ValueError(f"{change.reference}: nothing to apply")
        if change.action is Action.RECREATE:
            return self._recreate(change, wanted, plan)
        create = change.action is Action.CREATE
        uid = plan.owner_uid or (PLACEHOLDER_UID if self._policy.dry_run else "")
        manifest = wanted.manifest(uid, create=create)
        if self._policy.dry_run and create and change.reference.namespace in self._new_namespaces:
            return Outcome(
                change.reference,
                change.service,
                "created",
                "its namespace would be created first",
                live=manifest,
            )
        if change.action is Action.UPDATE and change.live:
            self._hand_over(change.live, wanted)
            if ports := renumbered(manifest, change.live):
                patched = self._cluster.patch(
                    change.reference, ports, kind="json", dry_run=self._policy.dry_run
                )
                # In a dry run the patch is not stored, and an apply beside it would be refused.
                if self._policy.dry_run:
                    diff = difference(change.live, patched)
                    return Outcome(
                        change.reference, change.service, "updated", change.reason, diff, patched
                    )
        if change.action is Action.ADOPT and change.live and self._policy.adopt:
            if self._policy.dry_run:
                return self._foresee(change, change.live, wanted, plan)
            change = replace(change, live=take_over(self._cluster, change, wanted, plan))
        force = self._policy.force_conflicts or create or change.action is Action.ADOPT
        answer = self._cluster.apply(
            manifest, manager=FIELD_MANAGER, force=force, dry_run=self._policy.dry_run
        )
        if create and not answer.created and not self._policy.dry_run and _others(answer.object):
            self._withdraw(change.reference)
            raise ClusterError(
                f"{change.reference}: somebody else created it at the same moment; our fields were withdrawn"
            )
        diff = difference(change.live, answer.object)
        action = (
            PAST[change.action]
            if diff.changed or create or change.action is Action.ADOPT
            else "unchanged"
        )
        return Outcome(
            change.reference,
            change.service,
            action,
            _reason(change.reason, diff),
            diff,
            answer.object,
        )

    def _foresee(self, change: Change, live: Json, wanted: Desired, plan: ServicePlan) -> Outcome:
        """Return what adoption would do."""
        after = foresee(self._cluster, live, wanted, plan)
        diff = difference(handed_over(live, wanted, plan), after)
        return Outcome(
            change.reference, change.service, "adopted", _reason(change.reason, diff), diff, after
        )

    def _give_back(self, change: Change, plan: ServicePlan) -> Outcome:
        if change.live is None:
            raise ValueError(f"{change.reference}: nothing to give back")
        seen = sorted(controllers(plan.parent_live, plan.service))
        answer = give_back(
            self._cluster,
            change.reference,
            change.live,
            seen[0] if seen else plan.controller,
            dry_run=self._policy.dry_run,
        )
        diff = difference(change.live, answer)
        return Outcome(change.reference, change.service, "given back", change.reason, diff, answer)

    def _recreate(self, change: Change, wanted: Desired, plan: ServicePlan) -> Outcome:
        """Make an object anew: prove by a dry run that the API takes the new one, delete the old one, create."""
        trial = wanted.manifest(plan.owner_uid, create=True)
        trial["metadata"]["name"] = f"{change.reference.name[:240]}-trial"
        self._cluster.apply(trial, manager=FIELD_MANAGER, force=True, dry_run=True)
        if self._policy.dry_run:
            after = wanted.manifest(plan.owner_uid, create=True)
            return Outcome(change.reference, change.service, "recreated", change.reason, live=after)
        gone = self._delete_one(replace(change, action=Action.DELETE))
        if gone.action != "deleted":
            return gone
        wait_until_gone(self._cluster, change.reference)
        made = self._apply_one(replace(change, action=Action.CREATE, live=None), plan)
        return replace(made, action="recreated", reason=change.reason)

    def _check_lease(self, change: Change) -> None:
        if not change.reference.namespace:
            self._guard(change.service.namespace)

    def _hand_over(self, live: Json, wanted: Desired) -> None:
        """Let another manager hold the values that we no longer claim: dropped outright they would fall to their defaults."""
        entry = managed_fields.apply_entry(live, FIELD_MANAGER) or {}
        fields = entry.get("fieldsV1") or {}
        for path in wanted.unclaimed:
            value = value_at(live, path)
            if value is not None and managed_fields.owns(fields, path):
                held = wanted.reference.to_manifest()
                put_at(held, path, value)
                self._cluster.apply(
                    held, manager=HANDOVER_MANAGER, force=True, dry_run=self._policy.dry_run
                )

    def _withdraw(self, reference: Reference) -> None:
        """Take our fields out of somebody else's object: an apply that wants nothing."""
        empty = reference.to_manifest()
        self._cluster.apply(empty, manager=FIELD_MANAGER, force=False, dry_run=False)

    def _delete_one(self, change: Change) -> Outcome:
        live = change.live
        if live is None:
            raise ValueError(f"{change.reference}: nothing to delete")
        self._check_lease(change)
        uid = str(live["metadata"]["uid"])
        version = str(live["metadata"]["resourceVersion"])
        for _attempt in range(DELETE_TRIES):
            try:
                self._cluster.delete(
                    change.reference,
                    uid=uid,
                    resource_version=version,
                    dry_run=self._policy.dry_run,
                )
            except Conflict:
                again = self._cluster.get(change.reference, metadata_only=True)
                # The API server refuses the precondition for good where somebody deletes it in the foreground already.
                if again is None or again["metadata"].get("deletionTimestamp"):
                    break
                if again["metadata"]["uid"] != uid:
                    reason = "somebody made it anew since it was listed; it is left alone"
                    return Outcome(change.reference, change.service, "skipped", reason)
                version = str(again["metadata"]["resourceVersion"])
            else:
                break
        else:
            raise ClusterError(
                f"{change.reference}: it kept changing during {DELETE_TRIES} attempts to delete it"
            )
        return Outcome(
            change.reference, change.service, "deleted", change.reason, difference(live, None)
        )


def wait_until_gone(cluster: Cluster, reference: Reference) -> None:
    """Return once a deleted object is gone. Raises ClusterError where a finalizer holds it for a minute."""
    for dummy in range(GONE_TRIES):
        live = cluster.get(reference, metadata_only=True)
        if live is None:
            return
        cluster.requests.pause(GONE_PAUSE_S)
    raise ClusterError(
        f"{reference}: it was deleted, and a finalizer still holds it; run again when it is gone"
    )


def _others(live: Json) -> bool:
    """Tell whether anybody but us wrote an object: what is ours alone is not withdrawn from, that would empty it."""
    return any(
        entry.get("manager") != FIELD_MANAGER and not entry.get("subresource")
        for entry in live["metadata"].get("managedFields") or []
    )


def _reason(reason: str, diff: Difference) -> str:
    by_manager: dict[str, list[str]] = {}
    for path, manager in diff.taken_back:
        by_manager.setdefault(manager, []).append(path)
    return "; ".join(
        [
            reason,
            *(f"took back {_few(paths)} from {manager}" for manager, paths in by_manager.items()),
        ]
    )


def _few(paths: Sequence[str]) -> str:
    more = len(paths) - NAMED_FIELDS
    return ", ".join(paths[:NAMED_FIELDS]) + (f" and {more} more fields" if more > 0 else "")
