# SPDX-License-Identifier: GPL-3.0-or-later
"""How a quantised matrix is stored: packed numbers, and what is needed to unpack them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .block import Tensor

#: A column block of the whole row, or a row block of the whole column.
WHOLE = 0


@dataclass(frozen=True, slots=True)
class Scheme:
    """bits of each number; each block of rows × columns (WHOLE: all of them) has a scale, and zero_bits for its zero point.

    column_bytes: for each column (the order of groups in GPTQ). bytes_once: for each matrix, such as a scale of scales.
    """

    name: str
    bits: int
    block_rows: int = 1
    block_columns: int = WHOLE
    scale_bytes: Fraction = Fraction(0)
    zero_bits: int = 0
    column_bytes: int = 0
    bytes_once: int = 0

    def bytes_of(self, tensor: Tensor) -> Fraction:
        """Return the size of a tensor's matrices."""
        down = -(-tensor.rows // (self.block_rows or tensor.rows))
        across = -(-tensor.columns // (self.block_columns or tensor.columns))
        blocks = down * across * (self.scale_bytes + Fraction(self.zero_bits, 8))
        numbers = Fraction(tensor.rows * tensor.columns * self.bits, 8)
        beside = self.column_bytes * tensor.columns + self.bytes_once
        return tensor.count * (numbers + blocks + beside)
