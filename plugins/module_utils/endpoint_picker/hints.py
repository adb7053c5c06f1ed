# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest known name to one that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that somebody who wrote `name` most likely meant, None if none is near."""
    folded = {other.casefold(): other for other in known}
    exact = folded.get(name.strip().casefold())
    if exact is not None:
        return exact
    found = get_close_matches(name.casefold(), folded, n=1, cutoff=0.7)
    return folded[found[0]] if found else None
