# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations as Go reads them: `1h30m`, `1.5s`, `-20ms`."""

from __future__ import annotations

import re
from fractions import Fraction

_UNITS = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "µs": Fraction(1, 10**6),
    "μs": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "m": Fraction(60),
    "h": Fraction(3600),
}
_PART = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)"
_WHOLE = re.compile(rf"(?P<sign>[-+]?)(?:0|(?P<parts>(?:{_PART})+))", re.ASCII)
_PARTS = re.compile(r"([0-9.]+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)

#: Go counts nanoseconds in 64 bits.
_LONGEST = Fraction(2**63 - 1, 10**9)


def parse_duration(text: str) -> Fraction | None:
    """Return a duration in seconds, None for what is none."""
    match = _WHOLE.fullmatch(text)
    if match is None:
        return None
    parts = _PARTS.findall(match["parts"] or "")
    seconds = sum(
        (Fraction(number.rstrip(".") or "0") * _UNITS[unit] for number, unit in parts), Fraction()
    )
    if seconds > _LONGEST:
        return None
    return -seconds if match["sign"] == "-" else seconds
