# SPDX-License-Identifier: GPL-3.0-or-later
"""What is special about writing an object of a set: something that it depends on may come with the set itself, and need a moment."""

from __future__ import annotations

from collections.abc import Callable, Container

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, KindMissing
from ...kube.applyset import GroupKind
from ...kube.crds import is_crd
from ..desired import Desired
from ..outcome import Outcome
from ..plan import Change, Plan
from ..policy import SetPolicy
from ..write import Writer
from .custom import needs_preparing
from .members import ApplySet
from .not_ready import is_not_ready

#: How long something that is not ready yet is tried again in a run that does not wait, and how often, in seconds.
PATIENCE_S, PAUSE_S = 30.0, 1.0


class SetWriter(Writer):
    """Writes members; safe to use from several threads.

    new_namespaces, new_kinds: those that this run would create, where a dry run reaches nothing.
    """

    def __init__(
        self,
        cluster: Cluster,
        applyset: ApplySet,
        policy: SetPolicy,
        guard: Callable[[str], object],
        new_namespaces: frozenset[str] = frozenset(),
        new_kinds: Container[GroupKind] = (),
    ) -> None:
        super().__init__(cluster, policy, new_namespaces, guard, applyset.manager)
        self._new_kinds = new_kinds
        self._patience = policy.wait_timeout if policy.wait else PATIENCE_S

    def apply(self, change: Change, plan: Plan) -> Outcome:
        """Create, update or adopt. What is only not ready yet, a webhook or a kind, is tried again. Raises ClusterError."""
        timing = self._cluster.requests.timing
        end = timing.monotonic() + self._patience
        while True:
            try:
                return super().apply(change, plan)
            except ClusterError as error:
                if self._policy.dry_run and (is_not_ready(error) or isinstance(error, KindMissing)):
                    reason = f"foreseen, since a dry run is not answered yet: {error}"
                    return self._foreseen(change, plan, reason)
                if not is_not_ready(error) or timing.monotonic() >= end:
                    raise
                self._cluster.requests.pause(PAUSE_S)

    def _comes_first(self, change: Change, wanted: Desired, plan: Plan) -> str:
        if GroupKind.of(change.reference) in self._new_kinds:
            return "its CRD would be applied"
        if change.live and is_crd(change.live) and needs_preparing(wanted.manifest(), change.live):
            return "its objects would be moved, or its converter taken off,"
        return super()._comes_first(change, wanted, plan)
