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


def is_number(value: Value) -> bool:
    """Whether a value is a number; booleans are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def above_zero(value: Value) -> bool:
    """Whether a value is a number above 0."""
    return is_number(value) and value > 0
