# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths on the machine that runs a task, as people write them: with `~` for a home folder, or wrong."""

from __future__ import annotations

import os
from pathlib import Path


def local_path(given: str) -> Path:
    """Return a path with the home folder filled in. Raises ValueError for a text that can be none."""
    try:
        if b"\0" in os.fsencode(given):
            raise ValueError("holds a zero byte, and no path has one")
        return Path(given).expanduser()
    except UnicodeEncodeError:
        raise ValueError("holds characters that no path has") from None
    except RuntimeError:
        user = given.partition("/")[0]
        raise ValueError(f"there is no home folder {user}; write the whole path") from None
