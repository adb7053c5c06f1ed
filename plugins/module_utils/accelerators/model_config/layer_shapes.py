# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of one model that differ in shape: in the size or number of heads, or in the inner size of the network.

Each function is the rule of one model class; `families` says whose. Source: modelling files of huggingface/transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .attention import Attention, read_attention, shared_with_earlier
from .block import Block
from .feed_forward import Experts, FeedForward
from .fields import Fields
from .windows import all_tokens, hybrid_pattern, listed


def gemma4_attention(fields: Fields, number: int) -> Sequence[Block]:
    """Return Gemma 4's attention: layers that keep all tokens have heads of another size and number."""
    window = listed(all_tokens)(fields, number)
    shared = shared_with_earlier(fields, number)
    usual = read_attention(fields, window=window, shared=shared)
    if window:
        return [usual]
    tied = fields.flag("attention_k_eq_v")
    dim = fields.whole("global_head_dim", default=usual.key_dim)
    heads = (
        fields.whole("num_global_key_value_heads", default=usual.kv_heads)
        if tied
        else usual.kv_heads
    )
    return [Attention(usual.hidden, usual.heads, heads, dim, dim, shared=shared, tied_values=tied)]


def gemma4_network(fields: Fields, number: int) -> Sequence[Block]:
    """Return Gemma 4's network, beside which some models have experts; twice as wide in layers that share a cache."""
    hidden, inner = fields.whole("hidden_size"), fields.whole("intermediate_size")
    wide = fields.flag("use_double_wide_mlp") and shared_with_earlier(fields, number)
    blocks: list[Block] = [FeedForward(hidden, 2 * inner if wide else inner)]
    if fields.flag("enable_moe_block"):
        each = fields.whole("moe_intermediate_size", "expert_intermediate_size")
        blocks.append(Experts(hidden, fields.whole("num_experts"), each, prefix=""))
    small = fields.whole("hidden_size_per_layer_input", default=0, least=0)
    if small:
        blocks.append(FeedForward(hidden, small, gated=False, prefix="per_layer_input"))
    return blocks


def llama4_network(fields: Fields, number: int) -> Sequence[Block]:
    """Return Llama 4's experts with a shared one of the same size, or at the layers between its dense network."""
    step = fields.whole("interleave_moe_layer_step", default=1)
    hidden, inner = fields.whole("hidden_size"), fields.whole("intermediate_size")
    listed_layers = fields.items("moe_layers")
    if number in listed_layers if listed_layers else (number + 1) % step == 0:
        return [Experts(hidden, fields.whole("num_local_experts"), inner, shared=inner)]
    return [FeedForward(hidden, fields.whole("intermediate_size_mlp"))]


def mimo_v2_attention(fields: Fields, number: int) -> Sequence[Block]:
    """Return MiMo-V2's attention: layers with a window have heads of their own size and number."""
    window = hybrid_pattern(fields, number)
    if not window:
        return [read_attention(fields)]
    heads = fields.whole("swa_num_attention_heads")
    dims = (fields.whole("swa_head_dim"), fields.whole("swa_v_head_dim"))
    kv_heads = fields.whole("swa_num_key_value_heads")
    return [Attention(fields.whole("hidden_size"), heads, kv_heads, *dims, window=window)]


def laguna_attention(fields: Fields, number: int) -> Sequence[Block]:
    """Return Laguna's attention, whose layers differ in query heads, and have a gate for each head or each number."""
    usual = read_attention(fields, window=listed(all_tokens)(fields, number))
    heads = fields.items("num_attention_heads_per_layer")
    each = heads[number] if number < len(heads) and isinstance(heads[number], int) else usual.heads
    return [replace(usual, heads=each, gated=fields.raw("gating") is True)]


def nas_attention(fields: Fields, number: int) -> Sequence[Block]:
    """Return the attention of a layer that a search has chosen (Nemotron-NAS): some layers have none, or a matrix in its place."""
    part = _searched(fields, number, "attention")
    hidden, heads = fields.whole("hidden_size"), fields.whole("num_attention_heads")
    if part is None or part.flag("no_op"):
        return []
    if part.flag("replace_with_linear"):
        return [FeedForward(hidden, hidden // 2, gated=False, prefix="self_attn.linear_attn")]
    dim = hidden // heads
    return [Attention(hidden, heads, max(1, heads // part.whole("n_heads_in_group")), dim, dim)]


def nas_network(fields: Fields, number: int) -> Sequence[Block]:
    """Return the network of a layer that a search has chosen: its inner size is two thirds of a multiple, rounded up to 256."""
    part = _searched(fields, number, "ffn")
    hidden = fields.whole("hidden_size")
    if part is None or part.flag("no_op"):
        return []
    if part.flag("replace_with_linear"):
        return [FeedForward(hidden, hidden // 2, gated=False)]
    factor = part.number("ffn_mult")
    return [FeedForward(hidden, -(-int(2 * factor * hidden / 3) // 256) * 256)]


def _searched(fields: Fields, number: int, name: str) -> Fields | None:
    blocks = fields.items("block_configs")
    if len(blocks) != fields.layers:
        text = f"has {len(blocks)} entries, and num_hidden_layers is {fields.layers}"
        fields.fault("block_configs", text)
        return None
    place = f"{fields.path}.block_configs[{number}]"
    values = blocks[number] if isinstance(blocks[number], dict) else {}
    return Fields(values, place, fields.notes).part(name)
