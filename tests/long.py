# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the tests do whose worth grows with their length: a sample each time, everything with LONG=1."""

from __future__ import annotations

import os

LONG = bool(os.environ.get("LONG"))


def often(usually: int, *, long: int) -> int:
    """Return how often something is done."""
    return long if LONG else usually
