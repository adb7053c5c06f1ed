# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a service from being built, as the controller reports it and as we do."""

from __future__ import annotations

from ...kube.problem import Complaint, InputError, Problem
from .spec import LlmInferenceService

#: The condition and reason under which KServe reports whatever goes wrong while presets are combined.
PRESETS_COMBINED, COMBINE_ERROR = "PresetsCombined", "CombineBaseError"


class Unbuildable(Exception):
    """The children of a service cannot be worked out.

    message: what the controller writes. condition, reason: where it writes it; empty where it only tries again and again.
    path: the field to change, empty for the whole service. advice: what to do about it.
    told: what we say instead of the message, where that helps nobody.
    """

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
    ) -> None:
        self.message = message
        self.condition = condition
        self.reason = reason
        self.problem = Problem(
            path, _explained(told or message, condition, reason, advice), rule=rule
        )
        super().__init__(message)

    def as_input_error(self, service: LlmInferenceService) -> InputError:
        """Return the error that a user sees."""
        return InputError([Complaint(service.subject, (self.problem,))])


def _explained(message: str, condition: str, reason: str, advice: str) -> str:
    seen = f" (KServe reports {condition} False, {reason})" if condition else ""
    return f"{message}{seen}" + (f"; {advice}" if advice else "")
