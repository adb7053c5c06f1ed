# SPDX-License-Identifier: GPL-3.0-or-later
"""Doing what was planned: one step after another, each object with its own outcome; what comes after a failure is not begun."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, LeaseLost
from ..kube.intent import Stage
from ..kube.redact import redact_text, secrets_of
from ..kube.reference import Reference
from .outcome import Outcome
from .plan import Action, Change
from .schedule import Act, run_chains
from .service_plan import ServicePlan
from .write import Writer

INTERRUPTED = "the run was interrupted while it was written; the next run finds out whether it was"

Write = Callable[[Change], Outcome]


class Execution:
    """One pass over the plans of services, or over that of a set.

    Keeps who failed: of that service or set nothing is begun that comes in a later step.
    """

    def __init__(self, cluster: Cluster, writer: Writer) -> None:
        self._cluster = cluster
        self._writer = writer
        self._failed: dict[Reference, tuple[int, Reference]] = {}
        self._steps = 0
        self._planned = 0
        self._outcomes: dict[int, Outcome] = {}
        #: Namespaces in which another run writes now.
        self.lost: set[str] = set()

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of each object so far, in the order of the plans."""
        return [outcome for dummy, outcome in sorted(self._outcomes.items())]

    def apply(self, plans: Sequence[ServicePlan]) -> None:
        """Apply all creates and updates, stage by stage; in each, what others take the place of goes first."""
        order = [(stage, replaces) for stage in Stage for replaces in (True, False)]
        self.run(
            [
                [
                    [
                        (change, partial(self._apply, plan=plan))
                        for change in plan.changes
                        if (change.stage, change.action is Action.REPLACE) == place
                    ]
                    for place in order
                ]
                for plan in plans
            ]
        )

    def delete(self, changes: Iterable[Change]) -> None:
        """Delete in reverse order of stages; a service with a failure keeps everything it has."""
        by_service: dict[Reference, list[Change]] = {}
        for change in changes:
            by_service.setdefault(change.service, []).append(change)
        self.run(
            [
                [
                    [(change, self._writer.delete) for change in members if change.stage is stage]
                    for stage in reversed(Stage)
                ]
                for members in by_service.values()
            ]
        )

    def run(self, chains: Sequence[Sequence[Sequence[tuple[Change, Write]]]]) -> None:
        """Do the steps of each chain one after another, and chains side by side, after all that was done before."""
        first = self._steps
        self._steps += max(map(len, chains), default=0)
        run_chains(
            self._cluster,
            [
                [
                    [self._act(first + number, *each) for each in step]
                    for number, step in enumerate(chain)
                ]
                for chain in chains
            ],
        )

    def failed(self, owner: Reference) -> Reference | None:
        """Return what failed first of a service or set, None where nothing did."""
        return self._failed[owner][1] if owner in self._failed else None

    def note(self, outcome: Outcome) -> None:
        """Take what became of an object that was written or waited for beside the steps."""
        self._planned += 1
        self._outcomes[self._planned] = outcome
        if outcome.action == "failed":
            self._failed.setdefault(outcome.service, (self._steps - 1, outcome.reference))

    def _act(self, step: int, change: Change, write: Write) -> Act:
        self._planned += 1
        return partial(self._do, self._planned, step, change, write)

    def _do(self, place: int, step: int, change: Change, write: Write) -> None:
        earlier, culprit = self._failed.get(change.service, (step, change.reference))
        if step > earlier:
            reason = f"{culprit} failed"
            self._outcomes[place] = Outcome(change.reference, change.service, "skipped", reason)
            return
        try:
            self._outcomes[place] = write(change)
        except ClusterError as error:
            if isinstance(error, LeaseLost):
                self.lost.add(change.service.namespace)
            # A webhook may quote all of the object, with what others have put there.
            self._fail(place, step, change, redact_text(str(error), secrets_of(change.live)))
        except KeyboardInterrupt:
            self._fail(place, step, change, INTERRUPTED)
            raise

    def _fail(self, place: int, step: int, change: Change, reason: str) -> None:
        self._failed.setdefault(change.service, (step, change.reference))
        self._outcomes[place] = Outcome(change.reference, change.service, "failed", reason)

    def _apply(self, change: Change, plan: ServicePlan) -> Outcome:
        outcome = self._writer.apply(change, plan)
        # The children that come after it need the custom resource's uid.
        if change.reference == plan.parent.reference and outcome.live:
            plan.parent_live = outcome.live
        return outcome
