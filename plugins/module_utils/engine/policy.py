# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run may do: the options of a task that decide about writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """How many objects one run may delete. limit: a number; None for a fifth of the fleet's objects, at least 5, at most 50."""

    limit: int | None = None

    def allows(self, deletions: int, objects: int) -> bool:
        """Tell whether so many deletions of so many objects are within the budget."""
        return deletions <= self.of(objects)

    def of(self, objects: int) -> int:
        """Return the number of objects that may go, of a fleet of so many."""
        return min(max(objects // 5, 5), 50) if self.limit is None else self.limit


@dataclass(frozen=True, slots=True)
class Policy:
    """The options of one run.

    recreate: kinds of which an object may be deleted and made again where a field cannot change.
    home: where the Lease of services is that belong to the whole cluster.
    dry_run: check mode; each request is a server-side dry run. diff: collect what changes, field by field.
    """

    fleet: str = "default"
    prune: bool = True
    max_deletions: Budget = Budget()
    force_conflicts: bool = True
    adopt: bool = False
    allow_restart: bool = False
    recreate: frozenset[str] = frozenset()
    create_namespaces: bool = False
    home: str = "kserve"
    dry_run: bool = False
    diff: bool = False


@dataclass(frozen=True, slots=True)
class SetPolicy(Policy):
    """The options of one run over a set of manifests.

    keep_crds: CRDs are never deleted. delete_objects: objects of the set's kinds go with it. wait_timeout: seconds that one step of
    the installation may take.
    """

    keep_crds: bool = True
    delete_objects: bool = False
    wait: bool = True
    wait_timeout: float = 600.0
