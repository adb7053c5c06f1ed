# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes quantities (`500m`, `1.5Gi`, `1e3`) as exact numbers, and the text in which Kubernetes prints them.

Follows resource.Quantity of k8s.io/apimachinery v0.36.3; the unit tests hold a table recorded from it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from .names import quoted

#: The three ways of writing a quantity: `1Ki` (powers of 1024), `1k` (powers of 1000), `1e3`.
Family = Literal["BinarySI", "DecimalSI", "DecimalExponent"]

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_BINARY_SUFFIXES = ("", *_BINARY)

_TEXT = re.compile(
    r"(?P<sign>[+-]?)(?=\.?[0-9])(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?P<suffix>[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?",
    re.ASCII,
)

#: Kubernetes holds nothing finer than this.
_NANO = Fraction(1, 10**9)

#: Kubernetes cuts quantities with a binary suffix here.
_BINARY_MAXIMUM = 2**63 - 1

#: Longer texts and larger exponents measure nothing, and would make exact numbers of any size.
_LONGEST = 100
_LARGEST_EXPONENT = 999

#: Numbers with up to this many digits take a shorter way through resource.Quantity, on which some texts are kept as they are.
_SHORT_DIGITS = 18


@dataclass(frozen=True, slots=True)
class _Quantity:
    amount: Fraction
    canonical: str


def parse_quantity(value: str | float) -> Fraction:
    """Return the exact number that Kubernetes holds for a quantity, in the quantity's own unit (cores, bytes, pieces).

    Like Kubernetes it rounds what is finer than a nano away from zero, and cuts binary quantities at 2^63-1.
    Raises ValueError for what is no quantity, TypeError for other types.
    """
    return _read(_text(value)).amount


def is_quantity(value: Any) -> bool:
    """Tell whether a value is a quantity."""
    try:
        parse_quantity(value)
    except (TypeError, ValueError):
        return False
    return True


def same_quantity(one: Any, other: Any) -> bool:
    """Tell whether two values are quantities of one amount; what is no quantity is the same as nothing."""
    try:
        return parse_quantity(one) == parse_quantity(other)
    except (TypeError, ValueError):
        return False


def canonical_quantity(value: str | float) -> str:
    """Return a quantity as Kubernetes stores and prints it: `1024Mi` is `1Gi`, `0.5` is `500m`, 1000 is `1k`.

    Some texts that are not shortest are kept by Kubernetes too, for example `32.500`. Raises as parse_quantity.
    """
    return _read(_text(value)).canonical


def format_quantity(amount: Fraction | int, family: Family = "DecimalSI") -> str:
    """Return the shortest text of an exact number without a fraction, with the suffixes of the family.

    Where a binary suffix is no gain (below 1024) or would lose precision, decimal suffixes are used, as Kubernetes does.
    Raises ValueError where a decimal suffix would have to be larger than `E`.
    """
    exact = _round(Fraction(amount))
    if exact == 0:
        return "0"
    if family == "BinarySI" and abs(exact) >= 1024 and exact.denominator == 1:
        number, thousands = _without_factor(exact.numerator, 1024)
        # Beyond Ei there is no suffix; the rest stays in the number.
        surplus = max(0, thousands - len(_BINARY))
        return f"{number * 1024**surplus}{_BINARY_SUFFIXES[thousands - surplus]}"
    number, tens = _without_factor(int(exact / _NANO), 10)
    exponent = tens - 9
    number, exponent = number * 10 ** (exponent % 3), exponent - exponent % 3
    if family == "DecimalExponent":
        return f"{number}e{exponent}" if exponent else str(number)
    if exponent not in _DECIMAL_SUFFIX:
        # resource.Quantity leaves the suffix out here and prints 1000E as "1".
        raise ValueError(
            f"{number}e{exponent} is too large for a quantity with a decimal suffix; write it as {number}e{exponent}"
        )
    return f"{number}{_DECIMAL_SUFFIX[exponent]}"


# Remembered, because the services of a fleet ask for few different amounts.
@lru_cache(maxsize=1024)
def _read(text: str) -> _Quantity:
    match = _TEXT.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(
            f"{quoted(text)} is not a quantity: write a number with an optional suffix n, u, m, k, M, G, T, P, E, "
            "Ki, Mi, Gi, Ti, Pi, Ei or an exponent as in 1e3"
        )
    whole, fraction, suffix = (
        match["whole"].lstrip("0") or "0",
        match["fraction"] or "",
        match["suffix"] or "",
    )
    digits = whole + fraction
    family: Family
    if suffix in _BINARY:
        unit, family = Fraction(2 ** _BINARY[suffix]), "BinarySI"
        kept = _binary_is_kept(whole, fraction, _BINARY[suffix])
    else:
        exponent = _DECIMAL[suffix] if suffix in _DECIMAL else _exponent(text, suffix)
        unit, family = (
            Fraction(10) ** exponent,
            "DecimalSI" if suffix in _DECIMAL else "DecimalExponent",
        )
        kept = _decimal_is_kept(digits, exponent - len(fraction))
    amount = _round(Fraction(int(digits), 10 ** len(fraction)) * unit)
    if family == "BinarySI":
        amount = min(amount, Fraction(_BINARY_MAXIMUM))
    amount = -amount if match["sign"] == "-" else amount
    return _Quantity(amount, text if kept else format_quantity(amount, family))


def _text(value: str | float) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(f"a quantity is text or a number, not {type(value).__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a quantity")
    if isinstance(value, int) and value.bit_length() > 4 * _LONGEST:
        raise ValueError("an integer of this size is not a quantity")
    # repr gives a float the shortest digits that mean the same number, as JSON does.
    return str(value) if isinstance(value, str) else repr(value)


def _exponent(text: str, suffix: str) -> int:
    exponent = int(suffix[1:])
    if abs(exponent) > _LARGEST_EXPONENT:
        raise ValueError(
            f"{quoted(text)} is not a quantity: its exponent is beyond {_LARGEST_EXPONENT}"
        )
    return exponent


def _binary_is_kept(whole: str, fraction: str, exponent: int) -> bool:
    return not fraction and len(whole) <= 14 - exponent * 3 // 10 and int(whole) % 8 != 0


def _decimal_is_kept(digits: str, scale: int) -> bool:
    short = len(digits) <= _SHORT_DIGITS and scale >= -9
    return short and scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _round(amount: Fraction) -> Fraction:
    """Round away from zero to whole nanos: whoever asks for something gets something."""
    nanos = math.ceil(abs(amount) / _NANO) * _NANO
    return -nanos if amount < 0 else nanos


def _without_factor(number: int, factor: int) -> tuple[int, int]:
    times = 0
    while number % factor == 0:
        number, times = number // factor, times + 1
    return number, times
