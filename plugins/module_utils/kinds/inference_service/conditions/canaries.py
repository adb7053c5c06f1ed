# SPDX-License-Identifier: GPL-3.0-or-later
"""What the status says of canaries. Source: KServe pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.20.0."""

from __future__ import annotations

from ....kube.reader import Reader
from ..canaries import canaries, is_available
from ..resolved import Resolved
from .status_builder import StatusBuilder
from .types import CANARIES, STOPPED_REASON


def observe_canaries(draft: StatusBuilder, resolved: Resolved, reader: Reader) -> None:
    """Say of each canary whether a pod of it is available. Its model is never looked at."""
    draft.canaries = [
        {
            "name": each.variant,
            "ready": is_available(each, resolved.service.namespace, reader),
            "trafficPercent": each.share,
            "modelStatus": {"transitionStatus": ""},
        }
        for each in canaries(resolved.service)
    ]
    if not draft.canaries:
        draft.conditions.drop(CANARIES)
    elif resolved.service.stopped:
        draft.conditions.put(CANARIES, "False", STOPPED_REASON)
    elif all(each["ready"] for each in draft.canaries):
        draft.conditions.put(CANARIES, "True", "AllCanariesReady")
    else:
        draft.conditions.put(CANARIES, "False", "CanariesNotReady")
