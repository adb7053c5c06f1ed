# SPDX-License-Identifier: GPL-3.0-or-later
"""The model classes that are known, by `model_type`: what their layers are made of, and what holds where a config does not say.

A class that is not here is refused by name: its layers cannot be told from the fields that it shares with others.
Source: configuration and modelling files of huggingface/transformers, one folder for each class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import hybrids, layer_shapes, layers, windows
from .block import Block
from .fields import Fields
from .layers import Rule, attention, experts, network


@dataclass(frozen=True, slots=True)
class Family:
    """A model class. tied: input and output embeddings are one, where the config does not say. defaults: of its config class.

    counted: whether its tensors are known here; if not, only its cache is.
    refused: fields whose presence means a kind of the class that is not known here.
    drafts: layers that draft tokens, which its checkpoints have without a field that says so.
    draft: blocks of one of them, those of the last layer with attention where it is not given.
    draft_embeddings: whether each of them has a copy of both embeddings.
    """

    mixer: Rule = field(default_factory=attention)
    feed: Rule = field(default_factory=network)
    tied: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)
    counted: bool = True
    refused: Sequence[str] = ()
    drafts: int = 0
    draft_embeddings: bool = False
    draft: Callable[[Fields], Sequence[Block]] | None = None


_GEMMA_HEADS = {"head_dim": 256}
_GEMMA3 = {
    "vocab_size": 262_208,
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "sliding_window": 4096,
    "max_position_embeddings": 131_072,
}
_UPPER = windows.listed(windows.upper_layers)
_LISTED = windows.listed(windows.all_tokens)
_LATENT_MIXTURE = Family(layers.latent, experts(), draft_embeddings=True)
_QWEN_MIXTURE = Family(attention(_UPPER), experts(), defaults={"head_dim": 128})
_QWEN = Family(attention(_UPPER), defaults={"head_dim": 128})
_QWEN35 = Family(hybrids.qwen_hybrid)
_QWEN35_MIXTURE = Family(hybrids.qwen_hybrid, experts(gate=True))

FAMILIES: Mapping[str, Family] = {
    # One network in each layer.
    "llama": Family(),
    "mistral": Family(
        attention(windows.listed(windows.every_layer)), defaults={"sliding_window": 4096}
    ),
    "ministral3": Family(
        attention(windows.listed(windows.every_layer)), defaults={"head_dim": 128}
    ),
    "arcee": Family(feed=network(gated=False)),
    "apertus": Family(feed=network(gated=False)),
    "helium": Family(defaults={"head_dim": 128}),
    "hunyuan_v1_dense": Family(),
    "iquestcoder": Family(defaults={"head_dim": 128}),
    "nemotron-nas": Family(layer_shapes.nas_attention, layer_shapes.nas_network),
    "qwen2_vl": Family(attention(_UPPER, bias=True, out_bias=False)),
    "qwen2_vl_text": Family(attention(_UPPER, bias=True, out_bias=False)),
    "qwen": Family(attention(bias=True, out_bias=False), layers.halved_network),
    "qwen2": Family(attention(_UPPER, bias=True, out_bias=False)),
    "qwen2_5_vl": Family(attention(_UPPER, bias=True, out_bias=False)),
    "qwen2_5_vl_text": Family(attention(_UPPER, bias=True, out_bias=False)),
    "qwen3": _QWEN,
    "qwen3_vl_text": _QWEN,
    "phi3": Family(attention(windows.listed(windows.every_layer))),
    "gemma": Family(tied=True, defaults=_GEMMA_HEADS),
    "gemma2": Family(
        attention(windows.listed(windows.all_but_each(2))), tied=True, defaults=_GEMMA_HEADS
    ),
    "gemma3_text": Family(
        attention(windows.listed(windows.all_but_each(6))), tied=True, defaults=_GEMMA3
    ),
    "gemma4_text": Family(layer_shapes.gemma4_attention, layer_shapes.gemma4_network, tied=True),
    "cohere": Family(tied=True),
    "cohere2": Family(attention(windows.listed(windows.all_but_each(4))), tied=True),
    "olmo2": Family(),
    "olmo3": Family(attention(windows.listed(windows.all_but_each(4)))),
    "smollm3": Family(attention(_LISTED), tied=True),
    "exaone4": Family(attention(windows.listed(windows.lettered))),
    "granite": Family(),
    "glm4": Family(attention(bias=True, out_bias=False), defaults={"head_dim": 128}),
    "seed_oss": Family(attention(bias=True, out_bias=False)),
    "starcoder2": Family(
        attention(windows.every_layer, bias=True), network(gated=False, bias=True), tied=True
    ),
    "nemotron": Family(feed=network(gated=False)),
    "ernie4_5": Family(tied=True),
    "mimo": Family(attention(_UPPER, bias=True, out_bias=False)),
    # Experts.
    "mixtral": Family(attention(windows.every_layer), experts()),
    "qwen2_moe": Family(attention(_UPPER, bias=True, out_bias=False), experts(gate=True)),
    "qwen3_moe": _QWEN_MIXTURE,
    "qwen3_vl_moe_text": _QWEN_MIXTURE,
    "gpt_oss": Family(
        attention(windows.listed(windows.all_but_each(2)), bias=True),
        experts(bias=True),
        defaults={"head_dim": 64},
    ),
    "glm4_moe": Family(attention(bias=False, out_bias=False), experts(), draft_embeddings=True),
    "llama4_text": Family(
        attention(windows.listed(windows.chunks)),
        layer_shapes.llama4_network,
        defaults={"head_dim": 128, "attention_chunk_size": 8192},
    ),
    "minimax_m2": Family(feed=experts()),
    "olmoe": Family(feed=experts()),
    "phimoe": Family(attention(windows.every_layer, bias=True), experts()),
    "granitemoe": Family(feed=experts()),
    "granitemoeshared": Family(feed=experts()),
    "ernie4_5_moe": Family(feed=experts(), tied=True),
    "dots1": Family(feed=experts()),
    "hy_v3": Family(feed=experts(), defaults={"first_k_dense_replace": 1, "head_dim": 128}),
    "sarvam_moe": Family(feed=experts()),
    "solar_open": Family(feed=experts(), defaults={"head_dim": 128}),
    "afmoe": Family(
        attention(windows.listed(windows.all_but_each(4)), gated=True),
        experts(),
        defaults={"head_dim": 128},
    ),
    "laguna": Family(
        layer_shapes.laguna_attention,
        experts(),
        defaults={"head_dim": 128, "gating": True, "first_k_dense_replace": 1},
    ),
    "exaone_moe": Family(attention(windows.listed(windows.lettered)), experts()),
    "mimo_v2_flash": Family(layer_shapes.mimo_v2_attention, experts()),
    # Latent attention.
    "deepseek_v2": _LATENT_MIXTURE,
    "mistral4": _LATENT_MIXTURE,
    "sarvam_mla": _LATENT_MIXTURE,
    "youtu": Family(layers.latent, tied=True),
    "deepseek_v3": _LATENT_MIXTURE,
    "deepseek_v32": _LATENT_MIXTURE,
    "kimi_k2": _LATENT_MIXTURE,
    "glm_moe_dsa": _LATENT_MIXTURE,
    "glm4_moe_lite": _LATENT_MIXTURE,
    # Layers with a state of constant size.
    "qwen3_next": Family(hybrids.qwen_hybrid, experts(gate=True), drafts=1),
    "qwen3_5": _QWEN35,
    "qwen3_5_text": _QWEN35,
    "qwen3_5_moe": _QWEN35_MIXTURE,
    "qwen3_5_moe_text": _QWEN35_MIXTURE,
    "kimi_linear": Family(
        hybrids.kimi_hybrid,
        experts(),
        refused=("routed_expert_hidden_size", "attn_res_block_size"),
    ),
    "nemotron_h": Family(hybrids.nemotron_h, layers.nothing, draft=hybrids.nemotron_draft),
    "bamba": Family(hybrids.mamba_or_attention),
    "granitemoehybrid": Family(hybrids.mamba_or_attention, hybrids.granite_network),
    "jamba": Family(hybrids.jamba_mixer, experts(at=hybrids.jamba_experts)),
    "falcon_h1": Family(hybrids.falcon_h1),
    "mamba": Family(hybrids.mamba1, layers.nothing, tied=True),
    "falcon_mamba": Family(hybrids.mamba1, layers.nothing, tied=True),
    "mamba2": Family(hybrids.mamba2, layers.nothing),
    "lfm2": Family(hybrids.lfm2_mixer, hybrids.lfm2_network, tied=True),
    "lfm2_moe": Family(hybrids.lfm2_mixer, experts(), tied=True),
    # Classes of which only the cache is known.
    "gemma3n_text": Family(
        attention(windows.listed(windows.all_but_each(5))),
        counted=False,
        defaults={"head_dim": 256, "sliding_window": 512, "num_kv_shared_layers": 15},
    ),
}
