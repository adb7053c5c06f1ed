# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Brings receptor, the program of AWX's mesh: that of the system, else the package of Debian's suite sid, unpacked."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import debian


def bring() -> Path:
    """Return the path of receptor. Raises debian.NotToBeHad."""
    if own := shutil.which("receptor"):
        return Path(own)
    return debian.unpacked("receptor-sid", ["receptor"], "sid") / "usr" / "bin" / "receptor"
