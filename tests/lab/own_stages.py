# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Our kwok stages: they set the status that a gateway or another controller would set, where the lab does not run it."""

from __future__ import annotations

from collections.abc import Iterable

import yaml

from . import paths
from .client import Manifest


def stages() -> list[Manifest]:
    """Every stage in `stages/`, by file name."""
    return [
        yaml.safe_load(file.read_text(encoding="utf-8"))
        for file in sorted(paths.STAGES.glob("*.yaml"))
    ]


def stages_for(definitions: Iterable[Manifest]) -> list[Manifest]:
    """The stages whose kinds are among these CRDs."""
    kinds = {(each["spec"]["group"], each["spec"]["names"]["kind"]) for each in definitions}
    return [stage for stage in stages() if _subject(stage) in kinds]


def _subject(stage: Manifest) -> tuple[str, str]:
    reference = stage["spec"]["resourceRef"]
    return str(reference["apiGroup"]).rpartition("/")[0], str(reference["kind"])
