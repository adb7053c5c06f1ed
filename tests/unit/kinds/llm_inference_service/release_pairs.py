# SPDX-License-Identifier: GPL-3.0-or-later
"""One input under two releases of KServe, and everything that differs between the two results."""

from __future__ import annotations

from typing import Any

from module_utils.kinds.llm_inference_service.settings import Settings, make_settings
from module_utils.kube.manifest import Json

from ..differing import differing
from .preset_world import children

#: A model that no init container fetches.
CLAIM: Json = {"model": {"uri": "pvc://models/chat"}}


def settings(release: str) -> Settings:
    """Return the settings of a release."""
    return make_settings({}, {"kserve": release})


def differences(document: Json, *manifests: Json, old: str, new: str) -> dict[str, tuple[Any, Any]]:
    """Return each field that differs: `Kind/name path` → what it is under both releases, None for what is not there."""
    before, after = (
        children(document, *manifests, settings=settings(release)) for release in (old, new)
    )
    return differing(before, after)
