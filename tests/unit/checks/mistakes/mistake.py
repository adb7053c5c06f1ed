# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mistake is, and the kinds of services that can have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
MS, LLM, IS, IG = "ModelService", "LLMInferenceService", "InferenceService", "InferenceGraph"
KINDS = (MS, LLM, IS, IG)


@dataclass(frozen=True)
class Mistake:
    """A service with a mistake. field: where it is told. objects: what is in the cluster. others: services of the same task.

    complete: what is not among the objects is not there. stops: nothing of the service is written, or rendered from the same objects.
    """

    service: Json
    field: str
    objects: tuple[Json, ...] = ()
    others: tuple[Json, ...] = ()
    complete: bool = False
    stops: bool = False
