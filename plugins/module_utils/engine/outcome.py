# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of each object of a run, and why, in words for the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..kube.manifest import Json
from ..kube.reference import Reference
from ..kube.text import few
from .compare import Difference

#: What changes an object even where every field stays as it was.
CAME_OR_WENT = frozenset({"created", "deleted", "recreated", "adopted", "given back"})
#: How many fields a reason names.
NAMED_FIELDS = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one object. action: created, updated, adopted, recreated, deleted, given back, unchanged, failed or skipped.

    live: the object as the server answered; None where it is gone or nothing was sent.
    warning: what its author should know although it went well.
    """

    reference: Reference
    service: Reference
    action: str
    reason: str
    difference: Difference | None = None
    live: Json | None = None
    warning: str = ""

    @property
    def changed(self) -> bool:
        """Whether a field that we send is another than before, or the object came, went or changed hands."""
        return self.action in CAME_OR_WENT or bool(self.difference and self.difference.changed)


def reason_of(reason: str, diff: Difference) -> str:
    """Return why an object was written, and from whom fields were taken back."""
    by_manager: dict[str, list[str]] = {}
    for path, manager in diff.taken_back:
        by_manager.setdefault(manager, []).append(path)
    return "; ".join(
        [
            reason,
            *(
                f"took back {few_fields(paths)} from {manager}"
                for manager, paths in by_manager.items()
            ),
        ]
    )


def few_fields(paths: Sequence[str]) -> str:
    """Return the first of many fields and how many more there are."""
    return few(paths, NAMED_FIELDS, "field")
