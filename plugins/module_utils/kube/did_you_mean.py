# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody most likely meant who wrote a name that nothing has."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name that is nearest, capitals aside, None if none is near. likeness: how near, 1 for the same."""
    # Loaded where a name is wrong, and not in every run.
    from difflib import get_close_matches

    folded = {other.casefold(): other for other in known}
    exact = folded.get(name.strip().casefold())
    if exact is not None:
        return exact
    found = get_close_matches(name.casefold(), folded, n=1, cutoff=likeness)
    return folded[found[0]] if found else None
