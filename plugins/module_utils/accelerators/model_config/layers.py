# SPDX-License-Identifier: GPL-3.0-or-later
"""The blocks of a layer, by its number: which attention or state it has, and which feed-forward network or experts.

Each function is the rule of one or more model classes; `families` says whose. Source: modelling files of huggingface/transformers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...kube.schema_faults import show
from .attention import Attention, read_attention, read_latent, shared_with_earlier
from .block import Block
from .feed_forward import Experts, FeedForward
from .fields import Fields
from .recurrent import ShortConvolution, read_delta_net, read_mamba1, read_mamba2
from .windows import Window, all_tokens, hybrid_pattern, layer_type, listed

Rule = Callable[[Fields, int], Sequence[Block]]
_EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")


def attention(
    window: Window = all_tokens, *, bias: bool = False, out_bias: bool | None = None
) -> Rule:
    """Return the rule of attention with a window. bias: where the config does not say; out_bias: None where it follows the bias."""

    def rule(fields: Fields, number: int) -> Sequence[Block]:
        biased = fields.flag("attention_bias", default=bias)
        return [
            read_attention(
                fields,
                window=window(fields, number),
                shared=shared_with_earlier(fields, number),
                bias=biased,
                out_bias=biased
                if out_bias is None
                else fields.flag("attention_out_bias", default=out_bias),
            )
        ]

    return rule


def latent(fields: Fields, dummy: int) -> Sequence[Block]:
    """Return latent attention (DeepSeek, Kimi, GLM-5)."""
    return [read_latent(fields)]


def network(*, gated: bool = True, bias: bool = False) -> Rule:
    """Return the rule of one network for all tokens."""

    def rule(fields: Fields, dummy: int) -> Sequence[Block]:
        hidden = fields.whole("hidden_size")
        biased = fields.flag("mlp_bias", default=bias)
        return [FeedForward(hidden, fields.whole("intermediate_size"), gated, biased)]

    return rule


def experts(
    *, bias: bool = False, gate: bool = False, at: Callable[[Fields, int], bool] | None = None
) -> Rule:
    """Return the rule of mixtures. at: which layers have experts, those that `has_experts` says where it is not given.

    gate: the shared network is weighed by a number (Qwen).
    """
    chosen = at or has_experts

    def rule(fields: Fields, number: int) -> Sequence[Block]:
        if not chosen(fields, number):
            return network()(fields, number)
        inner = fields.whole("moe_intermediate_size", "intermediate_size")
        shared = shared_size(fields, inner)
        return [
            Experts(
                fields.whole("hidden_size"),
                fields.whole(*_EXPERTS),
                inner,
                shared,
                gate and shared > 0,
                bias=bias,
            )
        ]

    return rule


def shared_size(fields: Fields, inner: int) -> int:
    """Return the inner size of the network that every token takes beside its experts, 0 for none."""
    for name in (
        "shared_expert_intermediate_size",
        "shared_intermediate_size",
        "share_expert_dim",
    ):
        if fields.has(name):
            return fields.whole(name, least=0)
    count = fields.whole(
        "n_shared_experts", "num_shared_experts", "moe_num_shared_experts", default=0, least=0
    )
    return count * inner


def has_experts(fields: Fields, number: int) -> bool:
    """Tell whether a layer has experts: after the first dense ones, at each n-th, and not where the config names it."""
    if not fields.whole(*_EXPERTS, default=0, least=0):
        return False
    frequency = fields.raw("moe_layer_freq")
    if isinstance(frequency, list):
        return number < len(frequency) and bool(frequency[number])
    first = fields.whole("first_k_dense_replace", "moe_layer_start_index", default=0, least=0)
    period = fields.whole("moe_layer_freq", "moe_layer_interval", default=1)
    step = fields.whole("decoder_sparse_step", default=1)
    named = number in fields.items("mlp_only_layers")
    return number >= first and number % period == 0 and (number + 1) % step == 0 and not named


# Model classes with layers of their own.


def qwen_hybrid(fields: Fields, number: int) -> Sequence[Block]:
    """Return linear attention, and at each n-th layer attention with a gate (Qwen3-Next, Qwen3.5)."""
    each = fields.whole("full_attention_interval", default=4)
    kind = layer_type(fields, number)
    full = kind == "full_attention" if kind else (number + 1) % each == 0
    if full:
        bias = fields.flag("attention_bias")
        return [
            read_attention(
                fields,
                bias=bias,
                out_bias=bias,
                gated=fields.flag("attn_output_gate", default=True),
            )
        ]
    return [read_delta_net(fields)]


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


def nemotron_h(fields: Fields, number: int) -> Sequence[Block]:
    """Return the one block of a Nemotron-H layer: M for Mamba-2, * for attention, - for a network, E for experts; or in words."""
    name = "layers_block_type" if fields.has("layers_block_type") else "hybrid_override_pattern"
    pattern = fields.items(name) if name == "layers_block_type" else fields.text(name)
    layers = fields.layers
    if len(pattern) != layers:
        fields.fault(name, f"has {len(pattern)} entries, and num_hidden_layers is {layers}")
        return []
    return _nemotron_block(fields, name, pattern[number])


def _nemotron_block(fields: Fields, name: str, part: Any) -> Sequence[Block]:
    hidden = fields.whole("hidden_size")
    if part in ("M", "mamba"):
        return [read_mamba2(fields, prefix="mixer")]
    if part in ("*", "attention"):
        return [read_attention(fields, bias=fields.flag("attention_bias"), prefix="mixer")]
    if part in ("-", "mlp"):
        return [FeedForward(hidden, fields.whole("intermediate_size"), gated=False, prefix="mixer")]
    if part in ("E", "moe"):
        return [
            Experts(
                hidden,
                fields.whole("n_routed_experts"),
                fields.whole("moe_intermediate_size"),
                fields.whole("moe_shared_expert_intermediate_size", default=0, least=0),
                gated=False,
                latent=fields.whole("moe_latent_size", default=0, least=0),
                prefix="mixer",
            )
        ]
    fields.fault(
        name,
        f"{show(part)} is not a layer that is known here (M, *, -, E; mamba, attention, mlp, moe)",
    )
    return []


def nemotron_draft(fields: Fields) -> Sequence[Block]:
    """Return the blocks of a Nemotron-H layer that drafts."""
    name = (
        "mtp_layers_block_type"
        if fields.has("mtp_layers_block_type")
        else "mtp_hybrid_override_pattern"
    )
    parts = fields.items(name) if name == "mtp_layers_block_type" else fields.text(name)
    return [block for part in parts for block in _nemotron_block(fields, name, part)]


def mamba_or_attention(fields: Fields, number: int) -> Sequence[Block]:
    """Return Mamba-2 or attention (Bamba by `attn_layer_indices`, Granite by `layer_types`)."""
    kind = layer_type(fields, number)
    if kind == "attention" if kind else number in fields.items("attn_layer_indices"):
        return attention()(fields, number)
    return [read_mamba2(fields)]


def granite_network(fields: Fields, dummy: int) -> Sequence[Block]:
    """Return Granite's shared network, and the experts beside it where it has some."""
    hidden = fields.whole("hidden_size")
    blocks: list[Block] = [
        FeedForward(hidden, fields.whole("shared_intermediate_size"), prefix="shared_mlp")
    ]
    count = fields.whole("num_local_experts", default=0, least=0)
    if count:
        inner = fields.whole("intermediate_size")
        blocks.append(Experts(hidden, count, inner, prefix="block_sparse_moe"))
    return blocks


def jamba_mixer(fields: Fields, number: int) -> Sequence[Block]:
    """Return attention at each n-th layer, Mamba at the others."""
    period, offset = fields.whole("attn_layer_period"), fields.whole("attn_layer_offset", least=0)
    if number % period == offset:
        return [read_attention(fields)]
    return [read_mamba1(fields, norms=True)]


def jamba_experts(fields: Fields, number: int) -> bool:
    """Tell whether a layer of Jamba has experts."""
    period = fields.whole("expert_layer_period")
    count = fields.whole("num_experts", default=1)
    return count > 1 and number % period == fields.whole("expert_layer_offset", least=0)


def falcon_h1(fields: Fields, number: int) -> Sequence[Block]:
    """Return attention and Mamba-2 side by side, in every layer."""
    norm = fields.flag("mamba_rms_norm")
    return [*attention()(fields, number), read_mamba2(fields, norm=norm)]


def mamba1(fields: Fields, dummy: int) -> Sequence[Block]:
    """Return the one block of a Mamba layer."""
    return [read_mamba1(fields, prefix="mixer")]


def mamba2(fields: Fields, dummy: int) -> Sequence[Block]:
    """Return the one block of a Mamba-2 layer."""
    return [read_mamba2(fields, prefix="mixer")]


def lfm2_mixer(fields: Fields, number: int) -> Sequence[Block]:
    """Return attention or a short convolution."""
    kind = layer_type(fields, number)
    full = kind == "full_attention" if kind else number in fields.items("full_attn_idxs")
    if full:
        return [read_attention(fields)]
    return [ShortConvolution(fields.whole("hidden_size"), fields.whole("conv_L_cache", default=3))]


def lfm2_network(fields: Fields, dummy: int) -> Sequence[Block]:
    """Return LFM2's network, whose inner size is two thirds of what the config says, rounded up."""
    inner = fields.whole("block_ff_dim", "intermediate_size")
    if fields.flag("block_auto_adjust_ff_dim", default=True):
        inner = int(2 * inner / 3)
        factor = fields.raw("block_ffn_dim_multiplier")
        inner = int(factor * inner) if isinstance(factor, (int, float)) else inner
        multiple = fields.whole("block_multiple_of", default=256)
        inner = -(-inner // multiple) * multiple
    return [FeedForward(fields.whole("hidden_size"), inner)]


def nothing(dummy_fields: Fields, dummy: int) -> Sequence[Block]:
    """Return no block: the other rule has all of the layer."""
    return []
