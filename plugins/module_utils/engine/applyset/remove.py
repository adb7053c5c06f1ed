# SPDX-License-Identifier: GPL-3.0-or-later
"""Deleting members in the order that cannot hang: objects while their controller and its webhooks still answer, what answers last.

Source: recorded, parity/install: a webhook whose server is gone refuses deletions, and finalizers whose controller is gone stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError
from ...kube.apply_order import SetStage
from ...kube.crds import conversion_service
from ...kube.manifest import Json
from ...kube.redact import redact_text
from ...kube.reference import Reference
from ...kube.text import few
from ..compare import Difference
from ..deletion_wait import uid_of, wait_until_gone
from ..outcome import Outcome
from .authority import stop_conversion
from .members import ApplySet
from .namespaces import strangers
from .plan import Step
from .policy import SetPolicy
from .waiting import is_served
from .write import SetWriter

T = TypeVar("T")

#: What is deleted after what. Namespaces come last, since the parent may stand in one of them.
_ORDER = (
    SetStage.CUSTOM,
    SetStage.WEBHOOK,
    SetStage.WORKLOAD,
    SetStage.CERTIFICATE,
    SetStage.SERVICE,
    SetStage.CONFIG,
    SetStage.ACCESS,
    SetStage.CRD,
)
#: How many objects a message names.
_NAMED = 5


class Removal:
    """Deletes members. outcomes: what became of each so far. failed: nothing that comes later is touched then."""

    def __init__(
        self, cluster: Cluster, applyset: ApplySet, policy: SetPolicy, writer: SetWriter
    ) -> None:
        self._cluster = cluster
        self._applyset = applyset
        self._policy = policy
        self._writer = writer
        self.outcomes: list[Outcome] = []
        self.failed: Reference | None = None

    def run(self, steps: Sequence[Step], kept_crds: Iterable[Json]) -> None:
        """Delete all but namespaces, stage by stage. kept_crds: those that stay, of which the converters may go."""
        services = {
            (step.reference.namespace, step.reference.name)
            for step in steps
            if step.stage is SetStage.SERVICE
        }
        converted = [crd for crd in kept_crds if conversion_service(crd) in services]
        # What nobody answers any more would refuse each deletion that it is asked about.
        mute = [step for step in steps if "webhooks" in (step.live or {}) and self._is_mute(step)]
        self._each(mute, self._writer.delete, _reference)
        steps = [step for step in steps if step not in mute]
        for stage in _ORDER:
            if stage is SetStage.WORKLOAD:
                self._each(converted, self._stop_conversion, Reference.of)
            members = [step for step in steps if step.stage is stage]
            if stage is SetStage.CUSTOM:
                members = self._what_goes_first(members)
            self._each(members, self._writer.delete, _reference)
            if stage in (SetStage.CUSTOM, SetStage.CRD):
                self._each(members, self._until_gone, _reference, quiet=True)

    def _what_goes_first(self, steps: Sequence[Step]) -> list[Step]:
        """Delete custom resources as long as some can be: one may be refused while another uses it. Return those that are left."""
        left = list(steps)
        while left and not self.failed and not self._policy.dry_run:
            answers = self._cluster.parallel([partial(self._writer.delete, each) for each in left])
            gone = [
                step
                for step, answer in zip(left, answers, strict=True)
                if isinstance(answer, Outcome)
            ]
            self.outcomes += [answer for answer in answers if isinstance(answer, Outcome)]
            self._each(gone, self._until_gone, _reference, quiet=True)
            left = [step for step in left if step not in gone]
            if not gone:
                break
        return left

    def namespaces(self, steps: Sequence[Step]) -> dict[Reference, str]:
        """Delete the set's namespaces, and wait until they are gone. Returns those that stay, with what still stands in them."""
        kept: dict[Reference, str] = {}
        empty = []
        for step in steps:
            if step.stage is not SetStage.NAMESPACE or self.failed:
                continue
            others = strangers(self._cluster, step.reference.name, self._applyset.id)
            if others:
                kept[step.reference] = few(others, _NAMED, "objects")
            else:
                empty.append(step)
        self._each(empty, self._writer.delete, _reference)
        self._each(empty, self._until_gone, _reference, quiet=True)
        return kept

    def _each(
        self,
        items: Sequence[T],
        act: Callable[[T], Outcome],
        name: Callable[[T], Reference],
        *,
        quiet: bool = False,
    ) -> None:
        """Do the same to several objects. quiet: what goes well was told before."""
        if self.failed:
            if not quiet:
                text = f"{self.failed} failed"
                self.outcomes += [self._outcome(name(item), "skipped", text) for item in items]
            return
        answers = self._cluster.parallel([partial(act, item) for item in items])
        for item, answer in zip(items, answers, strict=True):
            if isinstance(answer, ClusterError):
                self.failed = self.failed or name(item)
                self.outcomes.append(self._outcome(name(item), "failed", redact_text(str(answer))))
            elif isinstance(answer, Exception):
                raise answer
            elif not quiet:
                self.outcomes.append(answer)

    def _is_mute(self, step: Step) -> bool:
        """Tell whether a webhook configuration asks a Service that is gone, or that has no endpoint."""
        clients = [each["clientConfig"] for each in (step.live or {}).get("webhooks") or []]
        services = {
            Reference("v1", "Service", service["namespace"], service["name"])
            for client in clients
            if (service := client.get("service"))
        }
        return any(not is_served(self._cluster, service) for service in sorted(services))

    def _until_gone(self, step: Step) -> Outcome:
        if not self._policy.dry_run:
            wait_until_gone(self._cluster, step.reference, uid_of(step.live))
        return self._outcome(step.reference, "deleted", step.reason)

    def _stop_conversion(self, crd: Json) -> Outcome:
        """Let the API server itself give a kept CRD's objects in each version: its converter goes."""
        reference = Reference.of(crd)
        stop_conversion(self._cluster, reference, dry_run=self._policy.dry_run)
        before = {"spec": {"conversion": crd["spec"]["conversion"]}}
        after = {"spec": {"conversion": {"strategy": "None"}}}
        reason = "its converter is removed; objects are given in each version as they are stored"
        return Outcome(
            reference, self._applyset.parent, "updated", reason, Difference(before, after)
        )

    def _outcome(self, reference: Reference, action: str, reason: str) -> Outcome:
        return Outcome(reference, self._applyset.parent, action, reason)


def _reference(step: Step) -> Reference:
    return step.reference
