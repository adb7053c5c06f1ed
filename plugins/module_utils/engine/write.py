# SPDX-License-Identifier: GPL-3.0-or-later
"""One object of a plan written: applied, made anew or deleted, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, Invalid
from ..cluster.results import Applied
from ..kube import managed_fields
from ..kube.manifest import Json, put_at, value_at
from ..kube.reference import Reference
from ..kube.rollout import as_observed
from . import FIELD_MANAGER, HANDOVER_MANAGER
from .adoption.adopt import foresee, handed_over, take_over
from .adoption.hand_back import give_back
from .compare import Difference, difference
from .deletion_wait import delete_listed, uid_of, wait_until_gone
from .desired import PLACEHOLDER_UID, SETTLED, Desired
from .field_conflicts import remember, takers, two_owners
from .immutable import refused_change
from .noop_proof import doubt, kept_by_server
from .outcome import Outcome, reason_of
from .plan import Action, Change, Plan
from .policy import Policy
from .ports import renumbered
from .previous_managers import controllers
from .service_plan import ServicePlan
from .stale_fields import stale_fields
from .unstable_fields import unstable_mark
from .webhook_entries import unwanted_entries
from .wiped_managed_fields import unrecorded, was_wiped

#: Characters of a name that the one of a trial keeps: no kind allows fewer than 63.
_TRIAL_NAME = 57

PAST = {
    Action.CREATE: "created",
    Action.UPDATE: "updated",
    Action.ADOPT: "adopted",
    Action.RECREATE: "recreated",
    Action.DELETE: "deleted",
    Action.GIVE_BACK: "given back",
}


class Writer:
    """Writes single objects; safe to use from several threads.

    new_namespaces: those that the run would create, where a dry run reaches nothing.
    guard: called with the service's namespace before each write beyond it, which the Lease of that namespace does not see by itself;
    raises LeaseLost where another run took over. manager: under which objects are applied.
    """

    def __init__(
        self,
        cluster: Cluster,
        policy: Policy,
        new_namespaces: frozenset[str],
        guard: Callable[[str], object],
        manager: str = FIELD_MANAGER,
    ) -> None:
        self._cluster = cluster
        self._policy = policy
        self._new_namespaces = new_namespaces
        self._guard = guard
        self._manager = manager

    def apply(self, change: Change, plan: Plan) -> Outcome:
        """Create, update, adopt, make anew or give back. Raises ClusterError."""
        self._check_lease(change)
        if change.action is Action.GIVE_BACK and isinstance(plan, ServicePlan):
            return self._give_back(change, plan)
        if change.action is Action.REPLACE:
            return self._remove_first(change)
        wanted = _wanted(change)
        if change.action is Action.RECREATE:
            return self._recreate(change, plan)
        create = change.action is Action.CREATE
        manifest = wanted.manifest(self._owner_uid(plan), create=create)
        if self._policy.dry_run and (first := self._comes_first(change, wanted, plan)):
            return self._foreseen(change, plan, f"{first} first")
        if change.live and (entries := unwanted_entries(manifest, change.live)):
            self._patch(change, entries)
        if change.action is Action.UPDATE and change.live:
            return self._update(change, wanted, manifest, change.live, plan)
        if change.action is Action.ADOPT and change.live and self._policy.adopt:
            if self._policy.dry_run:
                return self._foresee(change, change.live, wanted, plan)
            change = replace(change, live=take_over(self._cluster, change, wanted, plan))
        force = create or change.action is Action.ADOPT or self._policy.force_conflicts
        answer = self._send(manifest, force=force)
        if (
            create
            and not answer.created
            and not self._policy.dry_run
            and self._others(answer.object)
        ):
            self._withdraw(change.reference)
            raise ClusterError(
                f"{change.reference}: somebody else created it at the same moment; our fields were withdrawn"
            )
        live = self._settle(wanted, answer.object, manifest, plan, force=force)
        if change.live:
            live = as_observed(change.live, live)
        return self._done(change, live, PAST[change.action])

    def delete(self, change: Change) -> Outcome:
        """Delete the very object that was listed. Raises ClusterError."""
        live = change.live
        if live is None:
            raise ValueError(f"{change.reference}: nothing to delete")
        self._check_lease(change)
        if not delete_listed(self._cluster, change.reference, live, dry_run=self._policy.dry_run):
            reason = "somebody created it again after it was listed; it is left alone"
            return _said(change, "skipped", reason)
        return _said(change, "deleted", change.reason, diff=self._difference(live, None))

    def _update(
        self, change: Change, wanted: Desired, manifest: Json, live: Json, plan: Plan
    ) -> Outcome:
        self._hand_over(live, wanted)
        if ports := renumbered(manifest, live, self._manager):
            patched = self._patch(change, ports)
            # In a dry run the patch is not stored, and an apply beside it would be refused.
            if self._policy.dry_run:
                diff = self._difference(live, patched)
                return _said(change, "updated", change.reason, diff=diff, live=patched)
        taken = takers(manifest, live, self._manager) if self._policy.force_conflicts else {}
        remember(manifest, taken)
        try:
            answer = self._send(manifest, force=self._policy.force_conflicts)
        except Invalid as error:
            if left := stale_fields(manifest, live, self._manager):
                raise ClusterError(f"{error}; {left}") from None
            return self._change_refused(change, plan, error)
        after = self._settle(
            wanted, answer.object, manifest, plan, force=self._policy.force_conflicts
        )
        warning = two_owners(live, taken) or self._unrecorded(change, wanted, live, plan)
        done = self._done(change, as_observed(live, after), "updated")
        return replace(done, warning=warning or done.warning)

    def _unrecorded(self, change: Change, wanted: Desired, live: Json, plan: Plan) -> str:
        if not was_wiped(wanted, live):
            return ""
        try:
            return unrecorded(live, self._try_anew(change, plan))
        except ClusterError:
            return ""

    def _settle(
        self, wanted: Desired, live: Json, manifest: Json, plan: Plan, *, force: bool
    ) -> Json:
        """Mark an object that does not look as it was sent, so that the next run need not send it again."""
        uid = plan.owner_uid
        if self._policy.dry_run or doubt(wanted, live, uid) is None:
            return live
        put_at(manifest, SETTLED, unstable_mark(wanted, live, uid))
        marked = self._send(manifest, force=force).object
        plan.problems += kept_by_server(wanted, marked, uid)
        return marked

    def _foreseen(self, change: Change, plan: Plan, reason: str) -> Outcome:
        """Return what a write would do that no dry run can try."""
        create = change.action is Action.CREATE
        live = _wanted(change).manifest(self._owner_uid(plan), create=create)
        diff = self._difference(change.live, live) if change.live else None
        return _said(change, PAST[change.action], reason, diff=diff, live=live)

    def _foresee(self, change: Change, live: Json, wanted: Desired, plan: Plan) -> Outcome:
        """Return what adoption would do."""
        after = foresee(self._cluster, live, wanted, plan)
        diff = self._difference(handed_over(live, wanted, plan), after)
        return _said(change, "adopted", reason_of(change.reason, diff), diff=diff, live=after)

    def _give_back(self, change: Change, plan: ServicePlan) -> Outcome:
        if change.live is None:
            raise ValueError(f"{change.reference}: nothing to give back")
        seen = sorted(controllers(plan.parent_live, plan.service))
        after = give_back(
            self._cluster,
            change.reference,
            change.live,
            seen[0] if seen else plan.controller,
            dry_run=self._policy.dry_run,
        )
        return self._done(change, after, "given back")

    def _change_refused(self, change: Change, plan: Plan, error: Invalid) -> Outcome:
        """Make the object anew where that is permitted and only the change is refused, not the object. Raises ClusterError."""
        try:
            self._try_anew(change, plan)
        except ClusterError:
            raise error from None
        if change.reference.kind in self._policy.recreate:
            return self._recreate(change, plan)
        raise ClusterError(f"{change.reference}: {refused_change(change.reference.kind, error)}")

    def _comes_first(self, change: Change, wanted: Desired, plan: Plan) -> str:
        """Return what would be done before this write and is not done by a dry run, in which the API server would miss it."""
        if change.reference.namespace in self._new_namespaces:
            return "its namespace would be created"
        removed = {each.reference for each in plan.changes if each.action is Action.REPLACE}
        gone = next((reference for reference in wanted.replaces if reference in removed), None)
        return f"{gone} would be removed" if gone else ""

    def _remove_first(self, change: Change) -> Outcome:
        """Delete an object that another takes the place of, and wait until it is gone."""
        outcome = self.delete(change)
        if outcome.action == "deleted" and not self._policy.dry_run:
            wait_until_gone(self._cluster, change.reference, uid_of(change.live))
        return outcome

    def _recreate(self, change: Change, plan: Plan) -> Outcome:
        """Delete and create, once a dry run has proved that the API takes the new object."""
        self._try_anew(change, plan)
        if self._policy.dry_run:
            after = _wanted(change).manifest(self._owner_uid(plan), create=True)
            return _said(change, "recreated", change.reason, live=after)
        gone = self.delete(change)
        if gone.action != "deleted":
            return gone
        wait_until_gone(self._cluster, change.reference, uid_of(change.live))
        made = self.apply(replace(change, action=Action.CREATE, live=None), plan)
        return replace(made, action="recreated", reason=change.reason)

    def _try_anew(self, change: Change, plan: Plan) -> Json:
        """Create the object under another name, as a dry run, and return it. Raises ClusterError where the API does not take it."""
        trial = _wanted(change).manifest(self._owner_uid(plan), create=True)
        trial["metadata"]["name"] = trial_name(change.reference.name)
        return self._cluster.apply(trial, manager=self._manager, force=True, dry_run=True).object

    def _send(self, manifest: Json, *, force: bool) -> Applied:
        return self._cluster.apply(
            manifest, manager=self._manager, force=force, dry_run=self._policy.dry_run
        )

    def _patch(self, change: Change, operations: list[Json]) -> Json:
        return self._cluster.patch(
            change.reference, operations, kind="json", dry_run=self._policy.dry_run
        )

    def _owner_uid(self, plan: Plan) -> str:
        return plan.owner_uid or (PLACEHOLDER_UID if self._policy.dry_run else "")

    def _check_lease(self, change: Change) -> None:
        place = change.service.namespace
        if not place or change.reference.namespace != place:
            self._guard(place)

    def _hand_over(self, live: Json, wanted: Desired) -> None:
        """Let another manager hold the values that we no longer claim: dropped outright they would fall to their defaults."""
        entry = managed_fields.apply_entry(live, self._manager) or {}
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
        self._cluster.apply(empty, manager=self._manager, force=False, dry_run=False)

    def _done(self, change: Change, after: Json, action: str) -> Outcome:
        """Return the outcome of an apply; an update that changed nothing is none."""
        diff = self._difference(change.live, after)
        if action == "updated" and not diff.changed:
            action = "unchanged"
        return _said(change, action, reason_of(change.reason, diff), diff=diff, live=after)

    def _difference(self, before: Json | None, after: Json | None) -> Difference:
        return difference(before, after, self._manager)

    def _others(self, live: Json) -> bool:
        """Tell whether anybody but us wrote an object: what is ours alone is not withdrawn from, that would empty it."""
        return any(
            entry.get("manager") != self._manager and not entry.get("subresource")
            for entry in live["metadata"].get("managedFields") or []
        )


def trial_name(name: str) -> str:
    """Return another name, under which an object is only tried."""
    return f"{name[:_TRIAL_NAME].rstrip('-.')}-trial"


def _wanted(change: Change) -> Desired:
    if change.desired is None:
        raise ValueError(f"{change.reference}: nothing to apply")
    return change.desired


def _said(
    change: Change,
    action: str,
    reason: str,
    *,
    diff: Difference | None = None,
    live: Json | None = None,
) -> Outcome:
    return Outcome(change.reference, change.service, action, reason, diff, live, change.warning)
