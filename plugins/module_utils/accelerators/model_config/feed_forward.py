# SPDX-License-Identifier: GPL-3.0-or-later
"""What is between two attentions: one network for all tokens, or experts, of which each token takes some.

Source: modelling files of huggingface/transformers, of the model classes in `families`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .block import Kept, Tensor, linear, other

_GATED = ("gate_proj", "up_proj", "down_proj")
_PLAIN = ("up_proj", "down_proj")


@dataclass(frozen=True, slots=True)
class FeedForward:
    """One network. gated: with a third matrix, the gate."""

    hidden: int
    inner: int
    gated: bool = True
    bias: bool = False
    prefix: str = "mlp"

    def tensors(self) -> Iterator[Tensor]:
        """Yield the matrices."""
        for name in _GATED if self.gated else _PLAIN:
            rows, columns = (
                (self.hidden, self.inner) if name == "down_proj" else (self.inner, self.hidden)
            )
            yield from linear(f"{self.prefix}.{name}", rows, columns, bias=self.bias)

    def kept(self) -> Kept | None:
        """Return nothing: it has no memory."""
        return None


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts, all of which are in memory. shared: inner size of the network that every token takes, 0 for none.

    latent: size of the experts' inputs where they are smaller than the layer's, 0 where they are not. shared_gate: a number that
    weighs the shared network.
    """

    hidden: int
    number: int
    inner: int
    shared: int = 0
    shared_gate: bool = False
    gated: bool = True
    bias: bool = False
    latent: int = 0
    prefix: str = "mlp"

    def tensors(self) -> Iterator[Tensor]:
        """Yield router, experts and the shared network."""
        place = f"{self.prefix}." if self.prefix else ""
        yield other(f"{place}gate", self.number * (self.hidden + 1))
        size = self.latent or self.hidden
        one = FeedForward(size, self.inner, self.gated, self.bias, f"{place}experts.0")
        for each in one.tensors():
            yield Tensor(each.name, each.rows, each.columns, self.number, each.linear)
        if self.latent:
            yield Tensor(f"{place}fc1_latent_proj", self.latent, self.hidden)
            yield Tensor(f"{place}fc2_latent_proj", self.hidden, self.latent)
        if self.shared:
            prefix = f"{place}shared_experts"
            yield from FeedForward(self.hidden, self.shared, self.gated, prefix=prefix).tensors()
        if self.shared_gate:
            yield other(f"{place}shared_expert_gate", self.hidden)

    def kept(self) -> Kept | None:
        """Return nothing: they have no memory."""
        return None
