# SPDX-License-Identifier: GPL-3.0-or-later
"""Small helpers of the rules."""

from __future__ import annotations

from ..findings import Finding, Value, refusal
from ..plugin_parameters import Declared


def value_fault(plugin: Declared, key: str, message: str, fix: str) -> Finding:
    """Return a finding about the value of a parameter."""
    return refusal(
        "parameter-value", plugin.at(key), plugin.get(key), f"{plugin.type}: {message}", fix
    )


NO_INTERVAL = "write seconds, more than a nanosecond and fewer than 292 years"


def is_interval(seconds: float) -> bool:
    """Whether a picker can do something every so many seconds: it counts nanoseconds in 64 bits, and ends with a panic at none."""
    return 1 <= seconds * 1e9 < 2**63


def is_number(value: Value) -> bool:
    """Whether a value is a number; booleans are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def above_zero(value: Value) -> bool:
    """Whether a value is a number above 0."""
    return is_number(value) and value > 0
