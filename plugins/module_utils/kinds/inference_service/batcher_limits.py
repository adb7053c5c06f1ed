# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent that gathers requests makes of its limits, and which requests it gathers at all.

Source: KServe pkg/batcher/handler.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.problem import Problem
from ..check import WARNING, Check, check
from ..view import ServiceView

#: What the agent takes in place of a limit that is not above 0.
_IN_PLACE = {"maxBatchSize": "32", "maxLatency": "5000"}
_V1 = "v1"

LIMIT = Check(
    "batcher",
    WARNING,
    finds="the agent does not take {value}: it gathers requests as with {taken}",
    fix="write 1 or more, or leave out the batcher",
)
PROTOCOL = Check(
    "batcher",
    WARNING,
    finds="the agent gathers requests of protocol v1 alone, and the model is asked by {protocol}: each request goes by itself",
    fix="use protocolVersion v1, or leave out the batcher",
)


@check(LIMIT, costly=True)
def batcher_limit(view: ServiceView) -> Iterator[Problem]:
    """Yield limits of batchers that the agent replaces."""
    service = view.basis.service
    for role in service.roles:
        batcher = service.spec[role].get("batcher") or {}
        for field, taken in _IN_PLACE.items():
            value = batcher.get(field)
            if isinstance(value, int) and value <= 0:
                yield LIMIT.at(f"spec.{role}.batcher.{field}", value=value, taken=taken)


@check(PROTOCOL, costly=True)
def batcher_protocol(view: ServiceView) -> Iterator[Problem]:
    """Yield batchers in front of models whose requests they do not know."""
    predictor = view.basis.service.component("predictor") or {}
    protocol = (predictor.get("model") or {}).get("protocolVersion") or _V1
    if predictor.get("batcher") is not None and protocol != _V1:
        yield PROTOCOL.at("spec.predictor.batcher", protocol=protocol)
