# SPDX-License-Identifier: GPL-3.0-or-later
"""Which values OpenTelemetry takes for its sampler. Source: OpenTelemetry specification, OTEL_TRACES_SAMPLER."""

from __future__ import annotations

import re

from .did_you_mean import nearest
from .names import quoted

#: The ending of samplers that take a share.
RATIO = "traceidratio"
SAMPLERS = (
    *("always_on", "always_off", RATIO, "jaeger_remote", "xray"),
    *("parentbased_always_on", "parentbased_always_off", f"parentbased_{RATIO}"),
    "parentbased_jaeger_remote",
)
_SHARE = re.compile(r"0*(\.[0-9]*)?|0*1(\.0*)?")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?%?")


def is_share(text: str) -> bool:
    """Return whether a text is a number from 0 to 1."""
    return _SHARE.fullmatch(text) is not None


def nearest_sampler(text: str) -> str:
    """Return the sampler that is most likely meant."""
    return nearest(text, SAMPLERS) or RATIO


def sampler_fault(text: str) -> str | None:
    """Return what is wrong with a sampler; empty is none."""
    if not text or text in SAMPLERS:
        return None
    return f"{quoted(text)} is not one of {', '.join(SAMPLERS)}; write {nearest_sampler(text)}"


def share_fault(text: str) -> str | None:
    """Return what is wrong with a share; an argument that is no number is one of another sampler."""
    if not text or is_share(text) or not _NUMBER.fullmatch(text):
        return None
    return f"{quoted(text)} is not a number from 0 to 1; write 0.1 to trace every tenth request"
