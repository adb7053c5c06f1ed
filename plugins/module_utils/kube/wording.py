# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists in messages, short however long they are."""

from __future__ import annotations

from collections.abc import Sequence


def few(items: Sequence[str], most: int, noun: str = "") -> str:
    """Return the first of many items and how many more there are: `a, b and 3 more fields`."""
    more = len(items) - most
    rest = f" and {more} more{noun and f' {noun}'}" if more > 0 else ""
    return ", ".join(items[:most]) + rest
