# SPDX-License-Identifier: GPL-3.0-or-later
"""Carrying out a plan: step by step, each waited for before the next one stands on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError
from ...kube.apply_order import SetStage
from ...kube.applyset import PART_OF_LABEL
from ...kube.crds import conversion_service, is_crd
from ...kube.manifest import Json, value_at
from ...kube.redact import redact_text, secrets_of
from ...kube.reference import Reference
from ..outcome import Outcome
from .authority import bring_authority, keep_authority, stop_conversion, stops_converting
from .custom import move_stored
from .members import ApplySet, Member
from .plan import SetPlan, Step
from .policy import SetPolicy
from .waiting import (
    lacks,
    wait_for_endpoints,
    wait_for_members,
    wait_until_served,
    without_authority,
)
from .write import SetWriter

#: How long a CRD may take to be established and served where the task does not wait for anything else, in seconds.
CRD_WITHIN_S = 60.0
#: Steps whose members are waited for as a whole; webhooks and custom resources have their own ways.
_WAITED = frozenset({SetStage.NAMESPACE, SetStage.CERTIFICATE, SetStage.WORKLOAD})


class Installation:
    """One pass over a plan. outcomes: what became of each object so far. trouble: what ended it early, empty where nothing did.

    known: the members as they were read. progress: told what is waited for.
    """

    def __init__(
        self,
        cluster: Cluster,
        applyset: ApplySet,
        policy: SetPolicy,
        writer: SetWriter,
        known: Mapping[Reference, Json],
        progress: Callable[[str], None],
    ) -> None:
        self._cluster = cluster
        self._applyset = applyset
        self._policy = policy
        self._writer = writer
        self._progress = progress
        self.known = dict(known)
        self.outcomes: list[Outcome] = []
        self.trouble = ""

    def run(self, plan: SetPlan) -> None:
        """Apply every step in its turn."""
        for stage in SetStage:
            steps = [step for step in plan.steps if step.stage is stage]
            try:
                self._before(stage, steps, plan)
                self._write(steps)
                if not self.trouble:
                    self._after(stage, steps, plan)
            except ClusterError as error:
                self.trouble = redact_text(str(error))
            if self.trouble:
                self._skip(steps, plan, stage)
                return

    def _before(self, stage: SetStage, steps: Sequence[Step], plan: SetPlan) -> None:
        """See that what is going to be asked from now on answers."""
        if not steps or not self._policy.wait or self._policy.dry_run:
            return
        if stage in (SetStage.CONVERSION, SetStage.WEBHOOK):
            services = [ref for ref in _asked(steps) if ref in _services(plan.members)]
            wait_for_endpoints(self._cluster, services, self._policy.wait_timeout)

    def _write(self, steps: Sequence[Step]) -> None:
        answers = self._cluster.parallel([partial(self._one, step) for step in steps])
        for step, answer in zip(steps, answers, strict=True):
            if isinstance(answer, ClusterError):
                reason = redact_text(str(answer), secrets_of(step.live))
                self._note(Outcome(step.reference, self._applyset.parent, "failed", reason))
                self.trouble = self.trouble or f"{step.reference} failed"
            elif isinstance(answer, Exception):
                raise answer
            else:
                self._note(answer)

    def _one(self, step: Step) -> Outcome:
        if step.live and is_crd(step.live) and step.member and not self._policy.dry_run:
            return self._change_crd(step, step.member.desired.manifest(""), step.live)
        return self._writer.apply(step)

    def _change_crd(self, step: Step, wanted: Json, live: Json) -> Outcome:
        """Apply a CRD that has objects, perhaps: they stay readable meanwhile."""
        move_stored(self._cluster, wanted, live)
        if stops_converting(wanted, live):
            stop_conversion(self._cluster, step.reference)
        late = step.stage is SetStage.CONVERSION
        brought = late and bring_authority(self._cluster, wanted, live)
        outcome = self._writer.apply(step)
        if brought and outcome.live is not None:
            return replace(outcome, live=keep_authority(self._cluster, outcome.live))
        return outcome

    def _note(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        if outcome.live is not None:
            self.known[outcome.reference] = outcome.live

    def _after(self, stage: SetStage, steps: Sequence[Step], plan: SetPlan) -> None:
        """Wait for what the step brought about. A CRD is always waited for: what comes next cannot be sent without."""
        if self._policy.dry_run:
            return
        if stage in (SetStage.CRD, SetStage.CONVERSION) and steps:
            timeout = self._policy.wait_timeout if self._policy.wait else CRD_WITHIN_S
            self._wait([step.reference for step in steps], timeout)
            wait_until_served(
                self._cluster, [self.known[step.reference] for step in steps], timeout
            )
        elif self._policy.wait and stage in _WAITED:
            members = [member.reference for member in plan.members if member.stage is stage]
            self._wait(members, self._policy.wait_timeout)
        elif self._policy.wait and stage is SetStage.WEBHOOK:
            self._wait_for_authorities(plan)

    def _wait_for_authorities(self, plan: SetPlan) -> None:
        webhooks = [member.reference for member in plan.members if member.stage is SetStage.WEBHOOK]
        self._wait(webhooks, self._policy.wait_timeout)
        crds = [member.reference for member in plan.members if is_crd(_named(member))]
        self._wait(crds, self._policy.wait_timeout, without_authority)

    def _wait(
        self,
        references: Sequence[Reference],
        timeout: float,
        lack: Callable[[Json], str] = lacks,
    ) -> None:
        known = {ref: self.known[ref] for ref in references if ref in self.known}
        selector = f"{PART_OF_LABEL}={self._applyset.id}"
        wait_for_members(self._cluster, known, selector, timeout, self._progress, lack)

    def _skip(self, written: Sequence[Step], plan: SetPlan, stage: SetStage) -> None:
        """Tell what was not done, because something that it stands on does not work."""
        done = {outcome.reference for outcome in self.outcomes}
        left = [step for step in plan.steps if step.stage >= stage and step not in written]
        left += [step for step in written if step.reference not in done]
        for step in left:
            text = "something that it stands on does not work"
            self.outcomes.append(Outcome(step.reference, self._applyset.parent, "skipped", text))


def _named(member: Member) -> Json:
    return member.reference.to_manifest()


def _services(members: Sequence[Member]) -> set[Reference]:
    """Return the Services whose endpoints are the set's own pods."""
    return {
        member.reference
        for member in members
        if member.stage is SetStage.SERVICE
        and value_at(member.desired.manifest(""), ("spec", "selector"))
    }


def _asked(steps: Sequence[Step]) -> Iterator[Reference]:
    """Yield the Services that the API server will ask once these webhooks and converters stand."""
    found: dict[Reference, None] = {}
    for step in steps:
        manifest = step.member.desired.manifest("") if step.member else {}
        for webhook in manifest.get("webhooks") or []:
            service = (webhook.get("clientConfig") or {}).get("service")
            if service:
                place = service.get("namespace") or "", service.get("name") or ""
                found[Reference("v1", "Service", *place)] = None
        converter = conversion_service(manifest) if manifest else None
        if converter:
            found[Reference("v1", "Service", *converter)] = None
    yield from found
