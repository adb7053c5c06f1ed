# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody most likely meant who wrote a name that nothing has."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest, capitals aside, None if none is near."""
    # Loaded where a name is wrong, and not in every run.
    from difflib import get_close_matches

    folded = {other.casefold(): other for other in known}
    exact = folded.get(name.strip().casefold())
    if exact is not None:
        return exact
    found = get_close_matches(name.casefold(), folded, n=1)
    return folded[found[0]] if found else None
