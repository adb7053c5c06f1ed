# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run may do to a set: the options of its task."""

from __future__ import annotations

from dataclasses import dataclass

from ..policy import Budget


@dataclass(frozen=True, slots=True)
class SetPolicy:
    """What may be done to a set.

    keep_crds: CRDs are never deleted. delete_objects: objects of the set's kinds go with it. wait_timeout: seconds that one step of
    the installation may take. dry_run: check mode.
    """

    max_deletions: Budget
    prune: bool = True
    keep_crds: bool = True
    adopt: bool = False
    force_conflicts: bool = True
    delete_objects: bool = False
    wait: bool = True
    wait_timeout: float = 600.0
    dry_run: bool = False
