# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that keep a state of constant size in place of a cache: linear attention, Mamba, short convolutions.

Source: modelling files of huggingface/transformers (qwen3_next, mamba, bamba, jamba, nemotron_h, falcon_h1, lfm2); shapes of states:
vllm-project/vllm `model_executor/layers/mamba/mamba_utils.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .block import Kept, Tensor, linear, other
from .fields import Fields


@dataclass(frozen=True, slots=True)
class GatedDeltaNet:
    """Linear attention with a gated delta rule. keys, values: heads × their size."""

    hidden: int
    key_heads: int
    key_dim: int
    value_heads: int
    value_dim: int
    kernel: int

    @property
    def channels(self) -> int:
        """Channels of the convolution over queries, keys and values."""
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim

    def tensors(self) -> Iterator[Tensor]:
        """Yield the projections, the convolution and the decays."""
        values = self.value_heads * self.value_dim
        yield Tensor("linear_attn.in_proj_qkv", self.channels, self.hidden)
        yield Tensor("linear_attn.in_proj_z", values, self.hidden)
        yield Tensor("linear_attn.in_proj_b", self.value_heads, self.hidden)
        yield Tensor("linear_attn.in_proj_a", self.value_heads, self.hidden)
        yield Tensor("linear_attn.out_proj", self.hidden, values)
        yield other("linear_attn.conv1d", self.channels * self.kernel)
        yield other("linear_attn.decays", 2 * self.value_heads + self.value_dim)

    def kept(self) -> Kept:
        """Return the last inputs of the convolution, and a matrix for each head."""
        state = self.value_heads * self.key_dim * self.value_dim
        basis = f"{self.value_heads} × {self.key_dim} × {self.value_dim}"
        return Kept(convolution=self.channels * (self.kernel - 1), state=state, basis=basis)


def read_delta_net(fields: Fields) -> GatedDeltaNet:
    """Return the linear attention of Qwen3-Next and Qwen3.5."""
    return GatedDeltaNet(
        fields.whole("hidden_size"),
        fields.whole("linear_num_key_heads"),
        fields.whole("linear_key_head_dim"),
        fields.whole("linear_num_value_heads"),
        fields.whole("linear_value_head_dim"),
        fields.whole("linear_conv_kernel_dim"),
    )


@dataclass(frozen=True, slots=True)
class KimiDeltaAttention:
    """Linear attention with a delta rule whose forget gate has a value for each channel (Kimi Linear)."""

    hidden: int
    heads: int
    head_dim: int
    kernel: int

    def tensors(self) -> Iterator[Tensor]:
        """Yield the projections, gates of low rank, the convolutions and the decays."""
        inner = self.heads * self.head_dim
        for name in ("q_proj", "k_proj", "v_proj"):
            yield Tensor(f"self_attn.{name}", inner, self.hidden)
        for name in ("f", "g"):
            yield Tensor(f"self_attn.{name}_a_proj", self.head_dim, self.hidden)
            yield Tensor(f"self_attn.{name}_b_proj", inner, self.head_dim)
        yield Tensor("self_attn.b_proj", self.heads, self.hidden)
        yield Tensor("self_attn.o_proj", self.hidden, inner)
        yield other("self_attn.conv1d", 3 * inner * self.kernel)
        yield other("self_attn.decays", self.heads + inner + self.head_dim)

    def kept(self) -> Kept:
        """Return the last inputs of the convolutions, and a matrix for each head."""
        inner = self.heads * self.head_dim
        basis = f"{self.heads} × {self.head_dim} × {self.head_dim}"
        return Kept(
            convolution=3 * inner * (self.kernel - 1), state=inner * self.head_dim, basis=basis
        )


def read_kimi_delta(fields: Fields, part: Fields) -> KimiDeltaAttention:
    """Return the linear attention of Kimi Linear. part: where its sizes are, `linear_attn_config` or the config itself."""
    return KimiDeltaAttention(
        fields.whole("hidden_size"),
        part.whole("num_heads", "linear_num_heads"),
        part.whole("head_dim", "linear_head_dim")
        if part is not fields
        else fields.whole("linear_head_dim"),
        part.whole("short_conv_kernel_size", "linear_conv_kernel_dim", default=4),
    )


@dataclass(frozen=True, slots=True)
class Mamba2:
    """A state space with heads. inner: heads × their size. norm: whether the gate has a norm."""

    hidden: int
    heads: int
    head_dim: int
    groups: int
    state_size: int
    kernel: int
    norm: bool = True
    prefix: str = "mamba"

    @property
    def channels(self) -> int:
        """Channels of the convolution."""
        return self.heads * self.head_dim + 2 * self.groups * self.state_size

    def tensors(self) -> Iterator[Tensor]:
        """Yield the projections, the convolution, and the numbers of each head."""
        inner = self.heads * self.head_dim
        yield Tensor(f"{self.prefix}.in_proj", inner + self.channels + self.heads, self.hidden)
        yield Tensor(f"{self.prefix}.out_proj", self.hidden, inner)
        yield other(f"{self.prefix}.conv1d", self.channels * (self.kernel + 1))
        yield other(f"{self.prefix}.decays", 3 * self.heads + (inner if self.norm else 0))

    def kept(self) -> Kept:
        """Return the last inputs of the convolution, and the state of each head."""
        state = self.heads * self.head_dim * self.state_size
        basis = f"{self.heads} × {self.head_dim} × {self.state_size}"
        return Kept(convolution=self.channels * (self.kernel - 1), state=state, basis=basis)


def read_mamba2(fields: Fields, *, norm: bool = True, prefix: str = "mamba") -> Mamba2:
    """Return the Mamba-2 block of a hybrid, or of a model of nothing else."""
    hidden = fields.whole("hidden_size")
    heads = fields.whole("mamba_num_heads", "mamba_n_heads", "num_heads")
    inner = fields.whole("mamba_expand", "expand", default=2) * hidden
    size = fields.raw("mamba_head_dim") or fields.raw("mamba_d_head") or fields.raw("head_dim")
    whole = fields.whole("mamba_d_ssm", default=inner) // heads
    return Mamba2(
        hidden,
        heads,
        size if isinstance(size, int) else whole,
        fields.whole("n_groups", "mamba_n_groups"),
        fields.whole("ssm_state_size", "mamba_d_state", "state_size"),
        fields.whole("conv_kernel", "mamba_d_conv"),
        norm,
        prefix,
    )


@dataclass(frozen=True, slots=True)
class Mamba1:
    """A state space with a state for each channel. norms: whether step, input and output of the state have norms (Jamba)."""

    hidden: int
    inner: int
    state_size: int
    kernel: int
    rank: int
    norms: bool = False
    bias: bool = False
    prefix: str = "mamba"

    def tensors(self) -> Iterator[Tensor]:
        """Yield the projections, the convolution and the decays."""
        rows = 2 * self.inner
        yield from linear(f"{self.prefix}.in_proj", rows, self.hidden, bias=self.bias)
        yield Tensor(f"{self.prefix}.x_proj", self.rank + 2 * self.state_size, self.inner)
        yield from linear(f"{self.prefix}.dt_proj", self.inner, self.rank, bias=True)
        yield from linear(f"{self.prefix}.out_proj", self.hidden, self.inner, bias=self.bias)
        yield other(f"{self.prefix}.conv1d", self.inner * (self.kernel + 1))
        yield other(f"{self.prefix}.decays", self.inner * (self.state_size + 1))
        if self.norms:
            yield other(f"{self.prefix}.norms", self.rank + 2 * self.state_size)

    def kept(self) -> Kept:
        """Return the last inputs of the convolution, and the state of each channel."""
        state = self.inner * self.state_size
        basis = f"{self.inner} × {self.state_size}"
        return Kept(convolution=self.inner * (self.kernel - 1), state=state, basis=basis)


def read_mamba1(fields: Fields, *, norms: bool = False, prefix: str = "mamba") -> Mamba1:
    """Return the block of the first Mamba."""
    hidden = fields.whole("hidden_size", "d_model")
    rank = fields.raw("mamba_dt_rank") or fields.raw("time_step_rank") or "auto"
    inner = fields.whole("mamba_expand", "expand", default=2) * hidden
    if fields.has("intermediate_size") and not fields.has("mamba_expand"):
        inner = fields.whole("intermediate_size")
    return Mamba1(
        hidden,
        inner,
        fields.whole("mamba_d_state", "state_size"),
        fields.whole("mamba_d_conv", "conv_kernel"),
        rank if isinstance(rank, int) else -(-hidden // 16),
        norms,
        fields.flag("mamba_proj_bias") or fields.flag("use_bias"),
        prefix,
    )


@dataclass(frozen=True, slots=True)
class ShortConvolution:
    """A gated convolution over the last tokens (LFM2)."""

    hidden: int
    kernel: int

    def tensors(self) -> Iterator[Tensor]:
        """Yield the projections and the convolution."""
        yield Tensor("conv.in_proj", 3 * self.hidden, self.hidden)
        yield Tensor("conv.out_proj", self.hidden, self.hidden)
        yield other("conv.conv", self.hidden * self.kernel)

    def kept(self) -> Kept:
        """Return the last inputs of the convolution."""
        basis = f"{self.hidden} × {self.kernel - 1}"
        return Kept(convolution=self.hidden * (self.kernel - 1), basis=basis)
