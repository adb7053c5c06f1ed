# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the lab keeps things: all of it outside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import LabError

GO_MODULES = Path(__file__).parent / "go"
STAGES = Path(__file__).parent / "stages"
CHECKOUT = Path(__file__).parents[2]


def _home(variable: str, default: str) -> Path:
    value = os.environ.get(variable, "")
    if value:
        return Path(value)
    try:
        return Path.home() / default
    except RuntimeError as error:
        raise LabError(
            f"no home directory found; set {variable} to a folder that the lab may write to"
        ) from error


def cache() -> Path:
    """Built binaries, CRDs read from modules and, where needed, Go itself. Shared by all checkouts."""
    return _home("XDG_CACHE_HOME", ".cache") / "modelops-lab"


def state() -> Path:
    """One folder for each control plane: kubeconfigs, logs, audit log, process ids."""
    return _home("XDG_STATE_HOME", ".local/state") / "modelops-lab"


def control_plane(name: str) -> Path:
    """The state folder of one control plane."""
    return state() / name
