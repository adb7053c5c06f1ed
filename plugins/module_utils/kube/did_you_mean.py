# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody most likely meant who wrote a name that nothing has."""

from __future__ import annotations

from collections.abc import Iterable

#: How alike two names have to be, from 0 to 1: a letter or an ending may differ, and not every second letter.
_ALIKE = 0.72


def nearest(name: str, known: Iterable[str], likeness: float = _ALIKE) -> str | None:
    """Return the known name that is nearest, capitals, dashes and underscores aside, None if none is near. likeness: how near, 1 for the same."""
    # Loaded where a name is wrong, and not in every run.
    from difflib import get_close_matches

    folded = {_folded(other): other for other in known}
    exact = folded.get(_folded(name))
    if exact is not None:
        return exact
    found = get_close_matches(_folded(name), folded, n=1, cutoff=likeness)
    return folded[found[0]] if found else None


def _folded(name: str) -> str:
    """Return a name without what people change without thinking: capitals, underscores and dashes."""
    return name.strip().casefold().replace("_", "").replace("-", "")
