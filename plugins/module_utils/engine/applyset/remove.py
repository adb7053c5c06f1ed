# SPDX-License-Identifier: GPL-3.0-or-later
"""Deleting members in the order that cannot hang: objects while their controller and its webhooks still answer, what answers last.

Source: recorded, parity/install: a webhook whose server is gone refuses deletions, and finalizers whose controller is gone stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from ...cluster.connection import Cluster
from ...kube.apply_order import SetStage
from ...kube.crds import conversion_service
from ...kube.manifest import Json
from ...kube.redact import redact_text
from ...kube.reference import Reference
from ...kube.text import few
from ..apply import Execution
from ..compare import Difference
from ..deletion_wait import wait_for_all
from ..outcome import Outcome
from ..plan import Action, Change
from ..policy import SetPolicy
from .authority import stop_conversion
from .members import ApplySet
from .namespaces import strangers
from .readiness import is_served
from .write import SetWriter

#: What is deleted after what. Namespaces come last, since the parent may be in one of them.
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
    """Deletes members. execution: keeps what became of each; after a failure nothing that comes later is touched."""

    def __init__(
        self,
        cluster: Cluster,
        applyset: ApplySet,
        policy: SetPolicy,
        writer: SetWriter,
        execution: Execution,
    ) -> None:
        self._cluster = cluster
        self._set = applyset
        self._policy = policy
        self._writer = writer
        self._execution = execution

    @property
    def failed(self) -> bool:
        """Whether something could not be deleted, or written before."""
        return self._execution.failed(self._set.parent) is not None

    def run(self, changes: Sequence[Change], kept_crds: Iterable[Json]) -> None:
        """Delete all but namespaces, stage by stage. kept_crds: those that stay, of which the converters may go."""
        services = {
            (change.reference.namespace, change.reference.name)
            for change in changes
            if change.stage is SetStage.SERVICE
        }
        converted = [crd for crd in kept_crds if conversion_service(crd) in services]
        # What nobody answers any more would refuse each deletion that it is asked about.
        mute = [each for each in changes if "webhooks" in (each.live or {}) and self._is_mute(each)]
        self._delete(mute)
        changes = [change for change in changes if change not in mute]
        for stage in _ORDER:
            if stage is SetStage.WORKLOAD:
                late = [(self._without_converter(crd), self._stop_conversion) for crd in converted]
                self._execution.run([[late]])
            members = [change for change in changes if change.stage is stage]
            if stage is SetStage.CUSTOM:
                members = self._what_goes_first(members)
            self._delete(members)
            if stage in (SetStage.CUSTOM, SetStage.CRD):
                self._until_gone(members)

    def namespaces(self, changes: Sequence[Change]) -> dict[Reference, str]:
        """Delete the set's namespaces, and wait until they are gone. Returns those that stay, with what is still in them."""
        kept: dict[Reference, str] = {}
        empty = []
        for change in changes:
            if change.stage is not SetStage.NAMESPACE or self.failed:
                continue
            others = strangers(self._cluster, change.reference.name, self._set.id)
            if others:
                kept[change.reference] = few(others, _NAMED, "objects")
            else:
                empty.append(change)
        self._delete(empty)
        self._until_gone(empty)
        return kept

    def _delete(self, changes: Sequence[Change]) -> None:
        self._execution.run([[[(change, self._writer.delete) for change in changes]]])

    def _what_goes_first(self, changes: Sequence[Change]) -> list[Change]:
        """Delete custom resources as long as some can be: one may be refused while another uses it. Return those that are left."""
        left = list(changes)
        while left and not self.failed and not self._policy.dry_run:
            answers = self._cluster.parallel(
                [partial(self._writer.delete, each) for each in left], Exception
            )
            went = [
                change
                for change, answer in zip(left, answers, strict=True)
                if isinstance(answer, Outcome)
            ]
            for answer in answers:
                if isinstance(answer, Outcome):
                    self._execution.note(answer)
            self._until_gone(went)
            left = [change for change in left if change not in went]
            if not went:
                break
        return left

    def _is_mute(self, change: Change) -> bool:
        """Tell whether a webhook configuration asks a Service that is gone, or that has no endpoint."""
        clients = [each["clientConfig"] for each in (change.live or {}).get("webhooks") or []]
        services = {
            Reference("v1", "Service", service["namespace"], service["name"])
            for client in clients
            if (service := client.get("service"))
        }
        return any(not is_served(self._cluster, service) for service in sorted(services))

    def _until_gone(self, changes: Sequence[Change]) -> None:
        if self._policy.dry_run or self.failed:
            return
        dying = [(change.reference, change.live) for change in changes if change.live]
        for reference, error in wait_for_all(self._cluster, dying).items():
            failed = Outcome(reference, self._set.parent, "failed", redact_text(str(error)))
            self._execution.note(failed)

    def _without_converter(self, crd: Json) -> Change:
        reason = "its converter is removed; objects are given in each version as they are stored"
        name = Reference.of(crd)
        return Change(Action.UPDATE, name, self._set.parent, SetStage.CRD, None, crd, reason)

    def _stop_conversion(self, change: Change) -> Outcome:
        """Let the API server itself give a kept CRD's objects in each version: its converter goes."""
        stop_conversion(self._cluster, change.reference, dry_run=self._policy.dry_run)
        before = {"spec": {"conversion": (change.live or {})["spec"]["conversion"]}}
        after = {"spec": {"conversion": {"strategy": "None"}}}
        diff = Difference(before, after)
        return Outcome(change.reference, change.service, "updated", change.reason, diff)
