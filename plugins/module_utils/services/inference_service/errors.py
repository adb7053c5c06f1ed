# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a service from being built, as the controller reports it and as we do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...kube.problem import Complaint, InputError, Problem
from .names import Role

if TYPE_CHECKING:
    from .spec import InferenceService

#: The reason under which a component's condition tells what went wrong while its objects were made.
RECONCILE_FAILED = "ReconcileFailed"


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """What `status.modelStatus.lastFailureInfo` says of a predictor that no runtime can serve."""

    reason: str
    message: str


class Unbuildable(Exception):
    """The children of a service cannot be worked out.

    message: what the controller writes. role: the component that it is about.
    reason: that of the component's condition, which is then False; empty where the condition stays as it is.
    model: what the model's status says, None where it says nothing.
    path: the field to change, empty for the whole service. advice: what to do about it.
    told: what we say instead of the message, where that helps nobody.
    """

    def __init__(
        self,
        message: str,
        *,
        role: Role = "predictor",
        reason: str = "",
        model: ModelFailure | None = None,
        path: str = "",
        advice: str = "",
        rule: str = "component",
        told: str = "",
    ) -> None:
        self.message = message
        self.role: Role = role
        self.reason = reason
        self.model = model
        self.problem = Problem(path, _explained(told or message, role, reason, advice), rule=rule)
        super().__init__(message)

    def as_input_error(self, service: InferenceService) -> InputError:
        """Return the error that a user sees."""
        return InputError([Complaint(service.subject, (self.problem,))])


def _explained(message: str, role: Role, reason: str, advice: str) -> str:
    seen = f" (KServe reports {role.capitalize()}Ready False, {reason})" if reason else ""
    return f"{message}{seen}" + (f"; {advice}" if advice else "")
