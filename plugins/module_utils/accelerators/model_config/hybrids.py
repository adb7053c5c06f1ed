# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers of hybrids, of which some keep a state of constant size in place of a cache.

Each function is the rule of one or more model classes; `families` says whose. Source: modelling files of huggingface/transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...kube.schema_faults import show
from .attention import read_attention, read_latent
from .block import Block
from .feed_forward import Experts, FeedForward
from .fields import Fields
from .layers import attention
from .recurrent import ShortConvolution, read_delta_net, read_kimi_delta, read_mamba1, read_mamba2
from .windows import layer_type

#: Kinds of layers in `layer_types`, by what is beside attention.
_LINEAR = ("full_attention", "linear_attention")
_MAMBA = ("attention", "mamba")
_CONVOLUTION = ("full_attention", "conv")


def qwen_hybrid(fields: Fields, number: int) -> Sequence[Block]:
    """Return linear attention, and at each n-th layer attention with a gate (Qwen3-Next, Qwen3.5)."""
    each = fields.whole("full_attention_interval", default=4)
    kind = layer_type(fields, number, _LINEAR)
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
    kind = layer_type(fields, number, _MAMBA)
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


def kimi_hybrid(fields: Fields, number: int) -> Sequence[Block]:
    """Return Kimi Linear's attention: latent in the layers that the config names, counted from 1, linear in the others."""
    kind = layer_type(fields, number, _LINEAR)
    part = fields.part("linear_attn_config")
    full = part.items("full_attn_layers") if part else []
    if kind == "full_attention" if kind else number + 1 in full:
        return [read_latent(fields)]
    return [read_kimi_delta(fields, part or fields)]


def lfm2_mixer(fields: Fields, number: int) -> Sequence[Block]:
    """Return attention or a short convolution."""
    kind = layer_type(fields, number, _CONVOLUTION)
    full = kind == "full_attention" if kind else number in fields.items("full_attn_idxs")
    if full:
        return [read_attention(fields)]
    return [ShortConvolution(fields.whole("hidden_size"), fields.whole("conv_L_cache", default=3))]


def lfm2_network(fields: Fields, dummy: int) -> Sequence[Block]:
    """Return LFM2's network, whose inner size is two thirds of what the config says, rounded up."""
    inner = fields.whole("block_ff_dim", "intermediate_size")
    if fields.flag("block_auto_adjust_ff_dim", default=True):
        inner = int(2 * inner / 3)
        inner = int(fields.number("block_ffn_dim_multiplier", default=1.0) * inner)
        multiple = fields.whole("block_multiple_of", default=256)
        inner = -(-inner // multiple) * multiple
    return [FeedForward(fields.whole("hidden_size"), inner)]
