# SPDX-License-Identifier: GPL-3.0-or-later
"""Attention: heads that keep keys and values, or one latent vector for all heads (MLA).

Source: modelling files of huggingface/transformers, of the model classes in `families`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .block import Kept, Tensor, linear, other
from .fields import Fields

#: What DeepSeek's indexer keeps of a token: keys of 8 bits, and a scale of 4 bytes for each 128 of them.
_INDEX_SCALE = 4


@dataclass(frozen=True, slots=True)
class Attention:
    """Heads with keys and values. window: 0 for all tokens.

    shared: the layer uses the cache of an earlier one. tied_values: values are the keys' projection, so it has none of its own.
    gated: queries come with a gate of their size. bias: of queries, keys and values; out_bias: of the output.
    """

    hidden: int
    heads: int
    kv_heads: int
    key_dim: int
    value_dim: int
    window: int = 0
    shared: bool = False
    tied_values: bool = False
    gated: bool = False
    bias: bool = False
    out_bias: bool = False
    prefix: str = "self_attn"

    def tensors(self) -> Iterator[Tensor]:
        """Yield the projections."""
        queries = self.heads * self.key_dim * (2 if self.gated else 1)
        yield from linear(f"{self.prefix}.q_proj", queries, self.hidden, bias=self.bias)
        if not self.shared:
            rows = self.kv_heads * self.key_dim
            yield from linear(f"{self.prefix}.k_proj", rows, self.hidden, bias=self.bias)
        if not (self.shared or self.tied_values):
            rows = self.kv_heads * self.value_dim
            yield from linear(f"{self.prefix}.v_proj", rows, self.hidden, bias=self.bias)
        columns = self.heads * self.value_dim
        yield from linear(f"{self.prefix}.o_proj", self.hidden, columns, bias=self.out_bias)

    def kept(self) -> Kept | None:
        """Return keys and values of each token."""
        if self.shared:
            return None
        each = self.key_dim + self.value_dim
        size = (
            f"2 × {self.key_dim}"
            if self.key_dim == self.value_dim
            else f"({self.key_dim} + {self.value_dim})"
        )
        basis = f"{self.kv_heads} KV heads × {size}"
        return Kept(self.kv_heads * each, self.kv_heads, window=self.window, basis=basis)


def shared_with_earlier(fields: Fields, number: int) -> bool:
    """Tell whether a layer uses the cache of an earlier one (`num_kv_shared_layers` at the end)."""
    layers = fields.layers
    return number >= layers - fields.whole("num_kv_shared_layers", default=0, least=0)


def read_attention(
    fields: Fields,
    *,
    window: int = 0,
    shared: bool = False,
    bias: bool = False,
    out_bias: bool = False,
    gated: bool = False,
    prefix: str = "self_attn",
) -> Attention:
    """Return the attention of most models. bias, out_bias: where the config does not say."""
    hidden = fields.whole("hidden_size", "n_embd", "d_model")
    heads = fields.whole("num_attention_heads", "n_head")
    dim = head_dim(fields, hidden, heads)
    kv_heads = fields.whole("num_key_value_heads", default=heads)
    if heads > 1 and heads % kv_heads:
        text = f"{kv_heads} does not divide the {heads} attention heads, which engines refuse"
        fields.fault("num_key_value_heads", text)
    return Attention(
        hidden,
        heads,
        kv_heads,
        dim,
        fields.whole("v_head_dim", default=dim) if fields.has("v_head_dim") else dim,
        window=window,
        shared=shared,
        bias=bias,
        out_bias=out_bias,
        gated=gated,
        prefix=prefix,
    )


def head_dim(fields: Fields, hidden: int, heads: int) -> int:
    """Return the size of a head."""
    if fields.has("head_dim") or fields.has("attention_head_dim"):
        return fields.whole("head_dim", "attention_head_dim")
    if hidden % heads:
        text = f"missing, and {heads} heads do not divide hidden_size, {hidden}; give {fields.notes.root}.head_dim"
        fields.fault("head_dim", text)
    return max(1, hidden // heads)


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """One vector of a token for all heads (MLA). query_rank: 0 where queries are not compressed. index_heads: of a sparse indexer (DSA)."""

    hidden: int
    heads: int
    query_rank: int
    kv_rank: int
    rope_dim: int
    nope_dim: int
    value_dim: int
    index_heads: int = 0
    index_dim: int = 0

    def tensors(self) -> Iterator[Tensor]:
        """Yield the projections down to the latent vectors and up to the heads."""
        dim = self.nope_dim + self.rope_dim
        if self.query_rank:
            yield Tensor("self_attn.q_a_proj", self.query_rank, self.hidden)
            yield Tensor("self_attn.q_b_proj", self.heads * dim, self.query_rank)
        else:
            yield Tensor("self_attn.q_proj", self.heads * dim, self.hidden)
        yield Tensor("self_attn.kv_a_proj_with_mqa", self.kv_rank + self.rope_dim, self.hidden)
        rows = self.heads * (self.nope_dim + self.value_dim)
        yield Tensor("self_attn.kv_b_proj", rows, self.kv_rank)
        yield Tensor("self_attn.o_proj", self.hidden, self.heads * self.value_dim)
        yield other("self_attn.norms", self.query_rank + self.kv_rank)
        if self.index_heads:
            rows = self.index_heads * self.index_dim
            yield Tensor("self_attn.indexer.wq_b", rows, self.query_rank)
            yield Tensor("self_attn.indexer.wk", self.index_dim, self.hidden)
            weights = self.index_heads * self.hidden
            yield other("self_attn.indexer.weights_proj", weights)

    def kept(self) -> Kept:
        """Return the latent vector and the part with positions, and the keys of the indexer."""
        index = self.index_dim + _INDEX_SCALE * -(-self.index_dim // 128)
        basis = f"({self.kv_rank} + {self.rope_dim})"
        return Kept(
            self.kv_rank + self.rope_dim,
            fixed_bytes=index if self.index_heads else 0,
            basis=basis,
        )


def read_latent(fields: Fields) -> LatentAttention:
    """Return the latent attention of DeepSeek's classes and those after them."""
    return LatentAttention(
        fields.whole("hidden_size"),
        fields.whole("num_attention_heads"),
        fields.whole("q_lora_rank", default=0),
        fields.whole("kv_lora_rank"),
        fields.whole("qk_rope_head_dim"),
        fields.whole("qk_nope_head_dim"),
        fields.whole("v_head_dim"),
        fields.whole("index_n_heads", default=0),
        fields.whole("index_head_dim", default=0),
    )
