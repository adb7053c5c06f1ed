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
_NANOSECONDS = 10**9
_LONGEST = Fraction(2**63 - 1, _NANOSECONDS)


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


def canonical_duration(text: str) -> str:
    """Return a duration as Go writes it: `90s` is `1m30s`, `0.5s` is `500ms`. Anything else comes back as it is."""
    seconds = parse_duration(text)
    return text if seconds is None else format_duration(seconds)


def format_duration(seconds: Fraction) -> str:
    """Return a duration as Go writes it, cut to nanoseconds."""
    count = int(abs(seconds) * _NANOSECONDS)
    sign = "-" if seconds < 0 and count else ""
    if count < _NANOSECONDS:
        return sign + _below_a_second(count)
    whole, rest = divmod(count, _NANOSECONDS)
    minutes, left = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(left * _NANOSECONDS + rest, _NANOSECONDS)}s"
    if whole >= 60:
        text = f"{minutes}m{text}"
    return f"{sign}{hours}h{text}" if hours else sign + text


def _below_a_second(count: int) -> str:
    for unit, size in (("ms", 10**6), ("µs", 10**3), ("ns", 1)):
        if count >= size:
            return f"{_decimal(count, size)}{unit}"
    return "0s"


def _decimal(count: int, size: int) -> str:
    whole, rest = divmod(count, size)
    fraction = f"{rest:0{len(str(size)) - 1}d}".rstrip("0") if rest else ""
    return f"{whole}.{fraction}" if fraction else str(whole)
