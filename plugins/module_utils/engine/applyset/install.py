# SPDX-License-Identifier: GPL-3.0-or-later
"""Carrying out a plan: step by step, each waited for before the next one depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError
from ...kube.apply_order import SetStage
from ...kube.applyset import PART_OF_LABEL
from ...kube.crds import conversion_service, is_crd
from ...kube.manifest import Json, value_at
from ...kube.redact import redact_text
from ...kube.reference import Reference
from ..apply import Execution
from ..desired import Desired
from ..outcome import Outcome
from ..plan import Change
from ..policy import SetPolicy
from .authority import bring_authority, keep_authority, stop_conversion, stops_converting
from .custom import move_stored
from .plan import SetPlan
from .readiness import lacks, without_authority
from .waiting import wait_for_endpoints, wait_for_members, wait_until_served
from .write import SetWriter

#: How long a CRD may take to be established and served where the task does not wait for anything else, in seconds.
CRD_WITHIN_S = 60.0
#: Steps whose members are waited for as a whole; CRDs, webhooks and custom resources have their own ways.
_WAITED = frozenset({SetStage.CERTIFICATE, SetStage.WORKLOAD})


class Installation:
    """One pass over a plan. execution: keeps what became of each object.

    known: the members as they were read. progress: told what is waited for.
    """

    def __init__(
        self,
        cluster: Cluster,
        plan: SetPlan,
        policy: SetPolicy,
        writer: SetWriter,
        execution: Execution,
        known: Mapping[Reference, Json],
        progress: Callable[[str], None],
    ) -> None:
        self._cluster = cluster
        self._plan = plan
        self._policy = policy
        self._writer = writer
        self._execution = execution
        self._known = dict(known)
        self._progress = progress

    def run(self) -> str:
        """Apply every step in its turn. Return what ended it early, empty where nothing did."""
        for stage in SetStage:
            changes = [change for change in self._plan.changes if change.stage is stage]
            try:
                self._before(stage, changes)
                self._execution.run([[[(change, self._apply) for change in changes]]])
                failed = self._execution.failed(self._plan.applyset.parent)
                trouble = f"{failed} failed" if failed else ""
                if not failed:
                    self._after(stage, changes)
            except ClusterError as error:
                trouble = redact_text(str(error))
            if trouble:
                self._skip()
                return trouble
        return ""

    def _before(self, stage: SetStage, changes: Sequence[Change]) -> None:
        """See that what is going to be asked from now on answers."""
        if not changes or not self._policy.wait or self._policy.dry_run:
            return
        if stage in (SetStage.CONVERSION, SetStage.WEBHOOK):
            services = [ref for ref in _asked(changes) if ref in _services(self._plan.members)]
            wait_for_endpoints(self._cluster, services, self._policy.wait_timeout)

    def _apply(self, change: Change) -> Outcome:
        """Write an object. Where it is a CRD that has objects, perhaps, they stay readable meanwhile."""
        wanted, live = change.desired, change.live
        if wanted is None or live is None or not is_crd(live) or self._policy.dry_run:
            outcome = self._writer.apply(change, self._plan)
        else:
            outcome = self._change_crd(change, wanted.manifest(), live)
        if outcome.live is not None:
            self._known[outcome.reference] = outcome.live
        return outcome

    def _change_crd(self, change: Change, wanted: Json, live: Json) -> Outcome:
        move_stored(self._cluster, wanted, live)
        if stops_converting(wanted, live):
            stop_conversion(self._cluster, change.reference)
        late = change.stage is SetStage.CONVERSION
        brought = late and bring_authority(self._cluster, wanted, live)
        outcome = self._writer.apply(change, self._plan)
        if brought and outcome.live is not None:
            return replace(outcome, live=keep_authority(self._cluster, outcome.live))
        return outcome

    def _after(self, stage: SetStage, changes: Sequence[Change]) -> None:
        """Wait for what the step brought about. A CRD is always waited for: what comes next cannot be sent without."""
        if self._policy.dry_run:
            return
        if stage in (SetStage.CRD, SetStage.CONVERSION) and changes:
            timeout = self._policy.wait_timeout if self._policy.wait else CRD_WITHIN_S
            crds = [change.reference for change in changes]
            self._wait(crds, timeout)
            wait_until_served(self._cluster, [self._known[crd] for crd in crds], timeout)
        elif self._policy.wait and stage in _WAITED:
            self._wait(self._members(stage), self._policy.wait_timeout)
        elif self._policy.wait and stage is SetStage.WEBHOOK:
            self._wait(self._members(stage), self._policy.wait_timeout)
            crds = self._members(SetStage.CRD)
            self._wait(crds, self._policy.wait_timeout, without_authority)

    def _members(self, stage: SetStage) -> list[Reference]:
        return [member.reference for member in self._plan.members if member.stage is stage]

    def _wait(
        self,
        references: Sequence[Reference],
        timeout: float,
        lack: Callable[[Json], str] = lacks,
    ) -> None:
        known = {ref: self._known[ref] for ref in references if ref in self._known}
        selector = f"{PART_OF_LABEL}={self._plan.applyset.id}"
        wait_for_members(self._cluster, known, selector, timeout, self._progress, lack)

    def _skip(self) -> None:
        """Tell what was not done, because a component that it depends on does not work."""
        done = {outcome.reference for outcome in self._execution.outcomes}
        for change in self._plan.changes:
            if change.reference not in done:
                text = "a component that it depends on does not work"
                skipped = Outcome(change.reference, change.service, "skipped", text)
                self._execution.note(skipped)


def _services(members: Sequence[Desired]) -> set[Reference]:
    """Return the Services whose endpoints are the set's own pods."""
    return {
        member.reference
        for member in members
        if member.stage is SetStage.SERVICE and value_at(member.manifest(), ("spec", "selector"))
    }


def _asked(changes: Sequence[Change]) -> Iterator[Reference]:
    """Yield the Services that the API server will ask once these webhooks and converters are there."""
    found: dict[Reference, None] = {}
    for change in changes:
        manifest = change.desired.manifest() if change.desired else {}
        for webhook in manifest.get("webhooks") or []:
            service = (webhook.get("clientConfig") or {}).get("service")
            if service:
                place = service.get("namespace") or "", service.get("name") or ""
                found[Reference("v1", "Service", *place)] = None
        converter = conversion_service(manifest) if manifest else None
        if converter:
            found[Reference("v1", "Service", *converter)] = None
    yield from found
