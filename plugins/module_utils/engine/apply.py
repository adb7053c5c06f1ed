# SPDX-License-Identifier: GPL-3.0-or-later
"""Doing what was planned: applies stage by stage, then deletions in reverse, each object with its own outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, LeaseLost
from ..kube.intent import Stage
from ..kube.redact import redact_text, secrets_of
from ..kube.reference import Reference
from .outcome import Outcome
from .plan import Action, Change, ServicePlan
from .policy import Policy
from .schedule import Act, run_chains
from .write import Writer

INTERRUPTED = "the run was interrupted while it was written; the next run finds out whether it was"


class Execution:
    """One pass over the plans. Keeps who failed, so that dependants are skipped and nothing of theirs is pruned.

    guard: see `Writer`.
    """

    def __init__(
        self,
        cluster: Cluster,
        policy: Policy,
        new_namespaces: frozenset[str],
        guard: Callable[[str], object],
    ) -> None:
        self._cluster = cluster
        self._writer = Writer(cluster, policy, new_namespaces, guard)
        self._failed: dict[Reference, Change] = {}
        self._planned = 0
        self._outcomes: dict[int, Outcome] = {}
        #: Namespaces in which another run writes now.
        self.lost: set[str] = set()

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of each object so far, in the order of the plans."""
        return [outcome for dummy, outcome in sorted(self._outcomes.items())]

    def apply(self, plans: Sequence[ServicePlan]) -> None:
        """Apply all creates and updates, stage by stage within each service."""
        run_chains(self._cluster, [self._steps(plan) for plan in plans])

    def delete(self, changes: Iterable[Change]) -> None:
        """Delete in reverse order of stages; a service with a failure keeps everything it has."""
        by_service: dict[Reference, list[Change]] = {}
        for change in changes:
            by_service.setdefault(change.service, []).append(change)
        run_chains(
            self._cluster,
            [
                self._stages(members, reversed(Stage), self._writer.delete)
                for members in by_service.values()
            ],
        )

    def _steps(self, plan: ServicePlan) -> list[list[Act]]:
        """Return the stages of a service; in each, what others take the place of goes first."""
        write = partial(self._apply, plan=plan)
        going = [change for change in plan.changes if change.action is Action.REPLACE]
        coming = [change for change in plan.changes if change.action is not Action.REPLACE]
        pairs = zip(
            self._stages(going, Stage, write), self._stages(coming, Stage, write), strict=True
        )
        return [step for pair in pairs for step in pair]

    def _stages(
        self,
        changes: Sequence[Change],
        order: Iterable[Stage],
        write: Callable[[Change], Outcome],
    ) -> list[list[Act]]:
        return [
            [self._act(change, write) for change in changes if change.stage is stage]
            for stage in order
        ]

    def _act(self, change: Change, write: Callable[[Change], Outcome]) -> Act:
        self._planned += 1
        return partial(self._do, self._planned, change, write)

    def _do(self, place: int, change: Change, write: Callable[[Change], Outcome]) -> None:
        culprit = self._failed.get(change.service)
        if culprit is not None and depends(change, culprit):
            reason = f"{culprit.reference} failed"
            self._outcomes[place] = Outcome(change.reference, change.service, "skipped", reason)
            return
        try:
            self._outcomes[place] = write(change)
        except ClusterError as error:
            if isinstance(error, LeaseLost):
                self.lost.add(change.service.namespace)
            # A webhook may quote all of the object, with what others have put there.
            self._fail(place, change, redact_text(str(error), secrets_of(change.live)))
        except KeyboardInterrupt:
            self._fail(place, change, INTERRUPTED)
            raise

    def _fail(self, place: int, change: Change, reason: str) -> None:
        self._failed.setdefault(change.service, change)
        self._outcomes[place] = Outcome(change.reference, change.service, "failed", reason)

    def _apply(self, change: Change, plan: ServicePlan) -> Outcome:
        outcome = self._writer.apply(change, plan)
        # The children that come after it need the custom resource's uid.
        if change.reference == plan.parent.reference and outcome.live:
            plan.parent_live = outcome.live
        return outcome


def depends(change: Change, failed: Change) -> bool:
    """Tell whether a change comes after another of its service: objects of one stage do not need each other."""
    return _rank(change) > _rank(failed)


def _rank(change: Change) -> tuple[int, bool]:
    stage = 2 * len(Stage) - change.stage if change.action is Action.DELETE else int(change.stage)
    return stage, change.action is not Action.REPLACE
