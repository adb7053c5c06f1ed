# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps an LLMInferenceService from being built."""

from __future__ import annotations

from ..kserve import unbuildable

#: The condition and reason under which KServe reports whatever goes wrong while presets are combined.
PRESETS_COMBINED, COMBINE_ERROR = "PresetsCombined", "CombineBaseError"
#: What later releases say where they are combined, and the API refuses what came of it.
REJECTED = "InvalidRenderedConfig"


class Unbuildable(unbuildable.Unbuildable):
    """The children of a service cannot be worked out, most often because of its presets."""

    def __init__(
        self,
        message: str,
        *,
        condition: str = PRESETS_COMBINED,
        reason: str = COMBINE_ERROR,
        path: str = "",
        advice: str = "",
        rule: str = "preset",
        told: str = "",
        first: str = "",
    ) -> None:
        super().__init__(
            message,
            condition=condition,
            reason=reason,
            path=path,
            advice=advice,
            rule=rule,
            told=told,
            first=first,
        )
