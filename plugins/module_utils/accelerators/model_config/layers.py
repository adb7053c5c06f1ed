# SPDX-License-Identifier: GPL-3.0-or-later
"""The blocks of a layer, by its number: which attention it has, and which feed-forward network or experts.

Each function is the rule of many model classes; `families` says whose. Source: modelling files of huggingface/transformers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...kube.schema_faults import show
from .attention import read_attention, read_latent, shared_with_earlier
from .block import Block
from .feed_forward import Experts, FeedForward
from .fields import Fields
from .windows import Window, all_tokens

Rule = Callable[[Fields, int], Sequence[Block]]
#: Lists that mark the layers with experts, with what stands for one network and for experts.
_MARKED = {"mlp_layer_types": ("dense", "sparse"), "moe_layer_freq": (0, 1)}
_FIRST = ("first_k_dense_replace", "moe_layer_start_index", "num_dense_layers")
_EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")


def attention(
    window: Window = all_tokens,
    *,
    bias: bool = False,
    out_bias: bool | None = None,
    gated: bool = False,
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
                gated=gated,
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


def halved_network(fields: Fields, dummy: int) -> Sequence[Block]:
    """Return the network of the first Qwen, whose inner size is half of what the config says."""
    inner = fields.whole("intermediate_size") // 2
    return [FeedForward(fields.whole("hidden_size"), inner)]


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


def _marked(
    fields: Fields, name: str, marks: list[Any], number: int, values: Sequence[Any]
) -> bool:
    """Tell whether a list marks a layer with the second of two values. Another length or value is a fault."""
    if len(marks) < fields.layers:
        fields.fault(name, f"has {len(marks)} entries, and num_hidden_layers is {fields.layers}")
        return False
    if marks[number] not in values:
        fields.fault(name, f"{show(marks[number])} is not one of {', '.join(map(str, values))}")
    return bool(marks[number] == values[1])


def has_experts(fields: Fields, number: int) -> bool:
    """Tell whether a layer has experts: after the first dense ones, at each n-th, and not where the config names it."""
    if not fields.whole(*_EXPERTS, default=0, least=0):
        return False
    for name, values in _MARKED.items():
        marks = fields.raw(name)
        if isinstance(marks, list):
            return _marked(fields, name, marks, number, values)
    first = fields.whole(*_FIRST, default=0, least=0)
    period = fields.whole("moe_layer_freq", "moe_layer_interval", default=1)
    step = fields.whole("decoder_sparse_step", default=1)
    named = number in fields.items("mlp_only_layers")
    return number >= first and number % period == 0 and (number + 1) % step == 0 and not named


def nothing(dummy_fields: Fields, dummy: int) -> Sequence[Block]:
    """Return no block: the other rule has all of the layer."""
    return []
