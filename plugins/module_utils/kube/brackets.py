# SPDX-License-Identifier: GPL-3.0-or-later
"""Brackets of an expression, whatever its language."""

from __future__ import annotations

from collections.abc import Iterable

_PAIRS = {")": "(", "]": "[", "}": "{"}


def unbalanced(marks: Iterable[str]) -> tuple[str, bool] | None:
    """Return the first bracket that has no partner, and whether it opens; None where each has one. marks: in their order; others are passed over."""
    opened: list[str] = []
    for mark in marks:
        if mark in _PAIRS.values():
            opened.append(mark)
        elif mark in _PAIRS and (not opened or opened.pop() != _PAIRS[mark]):
            return mark, False
    return (opened[-1], True) if opened else None
