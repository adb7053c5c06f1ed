# SPDX-License-Identifier: GPL-3.0-or-later
"""Precisions of numbers, by the names that options take."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

#: Bytes of one number.
PRECISIONS: Mapping[str, Fraction] = {
    "fp32": Fraction(4),
    "bf16": Fraction(2),
    "fp16": Fraction(2),
    "fp8": Fraction(1),
    "int8": Fraction(1),
    "int4": Fraction(1, 2),
    "fp4": Fraction(1, 2),
}


#: What engines and models call a precision.
OTHER_NAMES: Mapping[str, str] = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8",
    "nvfp4": "fp4",
    "mxfp4": "fp4",
    "awq": "int4",
    "gptq": "int4",
}


def in_bytes(precision: str) -> str:
    """Return a precision in words."""
    return f"{float(PRECISIONS[precision]):g} bytes ({precision})"
