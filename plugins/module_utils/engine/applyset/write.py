# SPDX-License-Identifier: GPL-3.0-or-later
"""One object of a set written: applied under the set's manager, or deleted, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, KindMissing
from ...cluster.results import Applied
from ...kube import managed_fields
from ...kube.crds import is_crd
from ...kube.intent import Stage
from ...kube.manifest import Json, put_at, value_at
from .. import HANDOVER_MANAGER
from ..compare import difference
from ..desired import SETTLED, Desired
from ..field_conflicts import remember, takers, two_owners
from ..noop_proof import doubt
from ..outcome import Outcome, reason_of
from ..plan import Action, Change
from ..policy import Policy
from ..unstable_fields import unstable_mark
from ..write import Writer
from .adopt import inherit
from .custom import needs_preparing
from .members import ApplySet, Member
from .not_ready import is_not_ready
from .plan import Step
from .policy import SetPolicy

_PAST = {Action.CREATE: "created", Action.UPDATE: "updated", Action.ADOPT: "adopted"}
#: How long something that is not ready yet is tried again in a run that does not wait, and how often, in seconds.
PATIENCE_S, PAUSE_S = 30.0, 1.0


class SetWriter:
    """Writes members; safe to use from several threads.

    new_namespaces: those that this run would create, where a dry run reaches nothing. coming: whether a kind comes with the set.
    """

    def __init__(
        self,
        cluster: Cluster,
        applyset: ApplySet,
        policy: SetPolicy,
        new_namespaces: frozenset[str] = frozenset(),
        coming: Callable[[Desired], bool] = lambda dummy: False,
    ) -> None:
        self._cluster = cluster
        self._applyset = applyset
        self._policy = policy
        self._new_namespaces = new_namespaces
        self._coming = coming
        self._deleter = Writer(
            cluster, Policy(dry_run=policy.dry_run), frozenset(), lambda dummy: None
        )

    def apply(self, step: Step) -> Outcome:
        """Create, update or adopt. What is only not ready yet, a webhook or a kind, is tried again. Raises ClusterError."""
        member = _member(step)
        if self._policy.dry_run:
            return self._predict(step, member)
        timing = self._cluster.requests.timing
        patience = self._policy.wait_timeout if self._policy.wait else PATIENCE_S
        end = timing.monotonic() + patience
        while True:
            try:
                return self._apply(step, member.desired)
            except ClusterError as error:
                if not is_not_ready(error) or timing.monotonic() >= end:
                    raise
                self._cluster.requests.pause(PAUSE_S)

    def apply_parent(self, desired: Desired, live: Json | None) -> Outcome:
        """Write the parent. Raises ClusterError."""
        manifest = desired.manifest("")
        action = "created" if live is None else "updated"
        if self._policy.dry_run and desired.reference.namespace in self._new_namespaces:
            reason = "its namespace would be created first"
            return Outcome(desired.reference, desired.service, action, reason, live=manifest)
        answer = self._send(manifest)
        diff = difference(live, answer.object, desired.manager)
        return Outcome(
            desired.reference, desired.service, action, "what the set holds", diff, answer.object
        )

    def delete(self, step: Step) -> Outcome:
        """Delete the very object that was listed. Raises ClusterError."""
        outcome = self._deleter.delete(self._change(step))
        diff = difference(step.live, None, self._applyset.manager)
        return replace(outcome, difference=diff) if outcome.difference else outcome

    def _predict(self, step: Step, member: Member) -> Outcome:
        """Return what a dry run says; what it cannot reach, since this very run would bring it about, is foreseen."""
        reason = ""
        if step.reference.namespace in self._new_namespaces:
            reason = "its namespace would be created first"
        elif self._coming(member.desired):
            reason = "its CRD would be applied first"
        elif (
            step.live
            and is_crd(step.live)
            and needs_preparing(member.desired.manifest(""), step.live)
        ):
            reason = "its objects would be moved, or its converter taken off, first"
        if not reason:
            try:
                return self._apply(step, member.desired)
            except ClusterError as error:
                if not is_not_ready(error) and not isinstance(error, KindMissing):
                    raise
                reason = f"foreseen, since a dry run is not answered yet: {error}"
        live = member.desired.manifest("", create=True)
        action = _PAST[step.action]
        diff = difference(step.live, live, member.desired.manager) if step.live else None
        return Outcome(step.reference, self._applyset.parent, action, reason, diff, live)

    def _apply(self, step: Step, wanted: Desired) -> Outcome:
        manifest = wanted.manifest("", create=step.action is Action.CREATE)
        warning = step.warning
        force = self._policy.force_conflicts or step.action is Action.CREATE
        if step.action is Action.ADOPT and step.live and not self._policy.dry_run:
            inherit(self._cluster, step.live, wanted)
        if step.action is Action.UPDATE and step.live:
            self._hand_over(step.live, wanted)
            taken = takers(manifest, step.live, wanted.manager) if force else {}
            remember(manifest, taken)
            warning = two_owners(step.live, taken) or warning
        self._drop_entries(step, manifest)
        answer = self._send(manifest, force=force)
        after = self._settle(wanted, answer.object, manifest)
        action = _PAST[step.action]
        diff = difference(step.live, after, wanted.manager)
        if action == "updated" and not diff.changed:
            action = "unchanged"
        return Outcome(
            step.reference,
            self._applyset.parent,
            action,
            reason_of(step.reason, diff),
            diff,
            after,
            warning,
        )

    def _settle(self, wanted: Desired, live: Json, manifest: Json) -> Json:
        """Mark an object that does not look as it was sent, so that the next run need not send it again."""
        if self._policy.dry_run or doubt(wanted, live, "") is None:
            return live
        put_at(manifest, SETTLED, unstable_mark(wanted, live, ""))
        return self._send(manifest).object

    def _drop_entries(self, step: Step, manifest: Json) -> None:
        """Take out the webhooks that are no longer wanted: with what others put into them, an apply would leave half of each."""
        if "webhooks" not in manifest or step.live is None:
            return
        wanted = {each.get("name") for each in manifest["webhooks"] or []}
        operations = []
        for place, each in reversed(list(enumerate(step.live.get("webhooks") or []))):
            if each["name"] not in wanted:
                path = f"/webhooks/{place}"
                operations.append({"op": "test", "path": f"{path}/name", "value": each["name"]})
                operations.append({"op": "remove", "path": path})
        if operations:
            self._cluster.patch(
                step.reference, operations, kind="json", dry_run=self._policy.dry_run
            )

    def _hand_over(self, live: Json, wanted: Desired) -> None:
        """Let another manager hold replicas that an autoscaler is to set: dropped outright they would fall to one."""
        entry = managed_fields.apply_entry(live, wanted.manager) or {}
        for path in wanted.unclaimed:
            value = value_at(live, path)
            if value is not None and managed_fields.owns(entry.get("fieldsV1") or {}, path):
                held = wanted.reference.to_manifest()
                put_at(held, path, value)
                self._cluster.apply(
                    held, manager=HANDOVER_MANAGER, force=True, dry_run=self._policy.dry_run
                )

    def _send(self, manifest: Json, *, force: bool = True) -> Applied:
        return self._cluster.apply(
            manifest, manager=self._applyset.manager, force=force, dry_run=self._policy.dry_run
        )

    def _change(self, step: Step) -> Change:
        return Change(
            step.action,
            step.reference,
            self._applyset.parent,
            Stage.ROUTING,
            None,
            step.live,
            step.reason,
        )


def _member(step: Step) -> Member:
    if step.member is None:
        raise ValueError(f"{step.reference}: nothing to apply")
    return step.member
