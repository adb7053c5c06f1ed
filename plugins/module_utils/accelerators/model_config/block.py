# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model is made of: tensors, what a layer keeps of a request, and blocks, which have both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Tensor:
    """Numbers of a checkpoint: `count` matrices of rows (outputs) × columns (inputs).

    linear: a layer that quantisation may pack; embeddings, norms, convolutions and routers are not.
    """

    name: str
    rows: int
    columns: int = 1
    count: int = 1
    linear: bool = True

    @property
    def numbers(self) -> int:
        """How many numbers these are."""
        return self.rows * self.columns * self.count


@dataclass(frozen=True, slots=True)
class Kept:
    """What a layer keeps in memory for a request.

    numbers: of each token, in the precision of the cache, over all heads. heads: tensor ranks split the numbers by them; 0 where each
    rank has all. fixed_bytes: of each token beside them, whatever the precision, on each rank.
    window: tokens that are kept at most, 0 for all of them.
    convolution, state: numbers of a request, however long it is, in the precision of the model and in that of states.
    """

    numbers: int = 0
    heads: int = 0
    fixed_bytes: int = 0
    window: int = 0
    convolution: int = 0
    state: int = 0
    basis: str = ""


class Block(Protocol):
    """A part of a layer."""

    def tensors(self) -> Iterator[Tensor]:
        """Yield its tensors, named as in the checkpoint below the layer."""

    def kept(self) -> Kept | None:
        """Return what it keeps, None for nothing."""


def linear(name: str, rows: int, columns: int, *, bias: bool = False) -> Iterator[Tensor]:
    """Yield a linear layer and its bias."""
    yield Tensor(name, rows, columns)
    if bias:
        yield other(f"{name}.bias", rows)


def other(name: str, numbers: int) -> Tensor:
    """Return a tensor that is never quantised."""
    return Tensor(name, numbers, linear=False)
