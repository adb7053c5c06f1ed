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
    finds="the agent does not accept {value}: it batches requests as with {taken}",
    fix="write 1 or more, or leave the batcher out",
)
PROTOCOL = Check(
    "batcher",
    WARNING,
    finds="the agent only batches requests of protocol v1, but the model is called by {protocol}: each request is sent alone",
    fix="use protocolVersion v1, or leave the batcher out",
)


@check(LIMIT, costly=True)
def batcher_limit(view: ServiceView) -> Iterator[Problem]:
    """Yield batcher limits that the agent replaces."""
    service = view.basis.service
    for role in service.roles:
        batcher = service.spec[role].get("batcher") or {}
        for field, taken in _IN_PLACE.items():
            value = batcher.get(field)
            if isinstance(value, int) and value <= 0:
                yield LIMIT.at(f"spec.{role}.batcher.{field}", value=value, taken=taken)


@check(PROTOCOL, costly=True)
def batcher_protocol(view: ServiceView) -> Iterator[Problem]:
    """Yield batchers for a protocol that they do not support."""
    predictor = view.basis.service.component("predictor") or {}
    protocol = (predictor.get("model") or {}).get("protocolVersion") or _V1
    if predictor.get("batcher") is not None and protocol != _V1:
        yield PROTOCOL.at("spec.predictor.batcher", protocol=protocol)
