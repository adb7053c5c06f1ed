# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists and counts in messages: short however long the list is, and right for one as for many."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: `1 object`, `2 objects`. noun: in the singular. plural: where it is not the singular with an s."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def few(items: Sequence[str], most: int, noun: str = "") -> str:
    """Return the first of many items and how many more there are: `a, b and 3 more fields`. noun: in the singular."""
    more = len(items) - most
    rest = counted(more, f"more {noun}") if noun else f"{more} more"
    return ", ".join(items[:most]) + (f" and {rest}" if more > 0 else "")
