# SPDX-License-Identifier: GPL-3.0-or-later
"""Towers beside the language model, which see pictures. They have weights and no cache.

Source: modelling files of huggingface/transformers, of the model classes in `TOWERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .attention import Attention
from .block import Tensor, linear, other
from .feed_forward import FeedForward
from .fields import Fields

Tower = Callable[[Fields, int], Iterator[Tensor]]


def _layers(
    count: int, hidden: int, inner: int, *, gated: bool = False, bias: bool = True
) -> Iterator[Tensor]:
    """Yield the tensors of a tower's layers: attention of as many keys as queries, and a network."""
    blocks = (
        Attention(hidden, 1, 1, hidden, hidden, bias=bias, out_bias=bias, prefix="attn"),
        FeedForward(hidden, inner, gated, bias),
    )
    for number in range(count):
        for block in blocks:
            for each in block.tensors():
                name = f"visual.blocks.{number}.{each.name}"
                yield Tensor(name, each.rows, each.columns, linear=each.linear)
        yield other(f"visual.blocks.{number}.norms", 4 * hidden)


def _qwen(fields: Fields, hidden_of_text: int) -> Iterator[Tensor]:
    """Yield Qwen's tower. Mergers join pictures' patches, one for the output and one for each inner layer that goes to the text."""
    hidden = fields.whole("hidden_size", "embed_dim")
    gated = not fields.has(
        "num_position_embeddings"
    )  # Qwen2.5-VL, whose towers have no table of positions
    out = fields.whole("out_hidden_size", default=hidden_of_text)
    yield from _layers(
        fields.count("depth"), hidden, fields.whole("intermediate_size"), gated=gated
    )
    patch = fields.whole("patch_size") ** 2 * fields.whole("temporal_patch_size", default=2)
    colours = fields.whole("in_channels", "in_chans", default=3)
    yield other("visual.patch_embed", colours * patch * hidden)
    yield other("visual.pos_embed", fields.whole("num_position_embeddings", default=0) * hidden)
    merged = hidden * fields.whole("spatial_merge_size", default=2) ** 2
    mergers = 1 + len(fields.items("deepstack_visual_indexes"))
    for number in range(mergers):
        yield from linear(f"visual.merger.{number}.linear_fc1", merged, merged, bias=True)
        yield from linear(f"visual.merger.{number}.linear_fc2", out, merged, bias=True)


def _qwen2(fields: Fields, hidden_of_text: int) -> Iterator[Tensor]:
    """Yield the tower of Qwen2-VL, whose inner size is a multiple of its own."""
    hidden = fields.whole("embed_dim", default=1280)
    ratio = fields.whole("mlp_ratio", default=4)
    yield from _layers(fields.count("depth", default=32), hidden, ratio * hidden)
    patch = fields.whole("patch_size", default=14) ** 2 * fields.whole(
        "temporal_patch_size", default=2
    )
    yield other(
        "visual.patch_embed", fields.whole("in_chans", "in_channels", default=3) * patch * hidden
    )
    merged = hidden * fields.whole("spatial_merge_size", default=2) ** 2
    yield from linear("visual.merger.mlp.0", merged, merged, bias=True)
    yield from linear("visual.merger.mlp.2", hidden_of_text, merged, bias=True)


def _siglip(fields: Fields, hidden_of_text: int) -> Iterator[Tensor]:
    """Yield the tower of Gemma 3, and its projection."""
    hidden = fields.whole("hidden_size")
    yield from _layers(fields.count("num_hidden_layers"), hidden, fields.whole("intermediate_size"))
    patch = fields.whole("patch_size", default=16)
    yield other("visual.patch_embed", 3 * patch**2 * hidden)
    yield other(
        "visual.pos_embed", (fields.whole("image_size", default=224) // patch) ** 2 * hidden
    )
    yield other("multi_modal_projector", hidden * hidden_of_text)


def _gemma4(fields: Fields, hidden_of_text: int) -> Iterator[Tensor]:
    """Yield the tower of Gemma 4, and its projection."""
    hidden = fields.whole("hidden_size")
    count, inner = fields.count("num_hidden_layers"), fields.whole("intermediate_size")
    yield from _layers(count, hidden, inner, gated=True, bias=False)
    yield other("visual.patch_embed", 3 * fields.whole("patch_size", default=16) ** 2 * hidden)
    positions = fields.whole("position_embedding_size", default=10240)
    yield other("visual.pos_embed", 2 * positions * hidden)
    yield Tensor("embed_vision.embedding_projection", hidden_of_text, hidden)


def _llama4(fields: Fields, hidden_of_text: int) -> Iterator[Tensor]:
    """Yield the tower of Llama 4, the network that joins patches, and the projection."""
    hidden = fields.whole("hidden_size", default=768)
    inner = fields.whole("intermediate_size", default=5632)
    yield from _layers(fields.count("num_hidden_layers", default=34), hidden, inner)
    patch = fields.whole("patch_size", default=14)
    yield other("visual.patch_embed", 3 * patch**2 * hidden)
    yield other(
        "visual.pos_embed", ((fields.whole("image_size", default=448) // patch) ** 2 + 1) * hidden
    )
    out = fields.whole("vision_output_dim", default=7680)
    projected = fields.whole("projector_input_dim", default=4096)
    yield Tensor("visual.adapter.fc1", projected, inner)
    yield Tensor("visual.adapter.fc2", out, projected)
    yield Tensor("multi_modal_projector", hidden_of_text, out)


def _pixtral(fields: Fields, hidden_of_text: int) -> Iterator[Tensor]:
    """Yield the tower of Mistral's models, and its projection, which joins two by two patches."""
    hidden = fields.whole("hidden_size", default=1024)
    inner = fields.whole("intermediate_size", default=4096)
    count = fields.count("num_hidden_layers", default=24)
    yield from _layers(count, hidden, inner, gated=True, bias=False)
    yield other("visual.patch_embed", 3 * fields.whole("patch_size", default=16) ** 2 * hidden)
    merged = hidden * fields.whole("spatial_merge_size", default=2) ** 2
    yield Tensor("multi_modal_projector.patch_merger", hidden, merged)
    yield Tensor("multi_modal_projector.linear_1", hidden_of_text, hidden)
    yield Tensor("multi_modal_projector.linear_2", hidden_of_text, hidden_of_text)


def _moon(fields: Fields, hidden_of_text: int) -> Iterator[Tensor]:
    """Yield the tower of Kimi's models, and its projection."""
    hidden = fields.whole("vt_hidden_size", "hidden_size")
    inner = fields.whole("vt_intermediate_size", "intermediate_size")
    yield from _layers(fields.count("vt_num_hidden_layers", "num_hidden_layers"), hidden, inner)
    yield other("visual.patch_embed", 3 * fields.whole("patch_size", default=14) ** 2 * hidden)
    table = fields.whole("init_pos_emb_height", default=64) * fields.whole(
        "init_pos_emb_width", default=64
    )
    yield other("visual.pos_embed", table * hidden)
    merged = 4 * hidden
    yield from linear("mm_projector.linear_1", merged, merged, bias=True)
    yield from linear("mm_projector.linear_2", hidden_of_text, merged, bias=True)


#: Towers by the class of the whole model: those that the config describes below `vision_config`.
TOWERS: dict[str, Tower] = {
    "qwen2_vl": _qwen2,
    "qwen2_5_vl": _qwen,
    "qwen3_vl": _qwen,
    "qwen3_vl_moe": _qwen,
    "qwen3_5": _qwen,
    "qwen3_5_moe": _qwen,
    "gemma3": _siglip,
    "gemma4": _gemma4,
    "llama4": _llama4,
    "mistral3": _pixtral,
    "kimi_k25": _moon,
}
