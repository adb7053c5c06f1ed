# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps an InferenceService from being built."""

from __future__ import annotations

from dataclasses import dataclass

from ...kube.problem import InputError
from ..kserve import unbuildable
from .names import Role

#: The reason under which a component's condition tells what went wrong while its objects were made.
RECONCILE_FAILED = "ReconcileFailed"


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """What `status.modelStatus.lastFailureInfo` says of a predictor that no runtime can serve."""

    reason: str
    message: str


class NotAdmitted(InputError):
    """KServe's webhook refuses a service, so that it cannot even be stopped."""


class Unbuildable(unbuildable.Unbuildable):
    """The children of a service cannot be worked out.

    role: the component that it is about. reason: that of the component's condition; empty where the condition stays as it is.
    model: what the model's status says, None where it says nothing.
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
        self.role: Role = role
        self.model = model
        super().__init__(
            message,
            condition=f"{role.capitalize()}Ready" if reason else "",
            reason=reason,
            path=path,
            advice=advice,
            rule=rule,
            told=told,
        )
