# SPDX-License-Identifier: GPL-3.0-or-later
"""How many of the last tokens a layer attends to, and so keeps. 0 means all of them.

Source: configuration files of huggingface/transformers, of the model classes in `families`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ...kube.schema_faults import show
from .fields import Fields

Window = Callable[[Fields, int], int]
#: Kinds of layers in `layer_types` that have attention, with the field that has their window.
_KINDS = {
    "full_attention": "",
    "attention": "",
    "sliding_attention": "sliding_window",
    "chunked_attention": "attention_chunk_size",
}


def layer_type(fields: Fields, number: int, known: Collection[str]) -> str:
    """Return the kind of a layer, empty where the config has no list of them.

    A list of another length is a fault, and so is a kind that is not known for the model class.
    """
    kinds = fields.items("layer_types")
    layers = fields.layers
    drafts = fields.whole("num_nextn_predict_layers", default=0, least=0)
    if kinds and not layers <= len(kinds) <= layers + drafts:
        text = f"has {len(kinds)} entries, and num_hidden_layers is {layers}"
        fields.fault("layer_types", text)
        return ""
    if not kinds:
        return ""
    if kinds[number] not in [*known]:
        text = (
            f"{show(kinds[number])} is not a kind of layer that is known here ({', '.join(known)})"
        )
        fields.fault("layer_types", text)
        return ""
    return str(kinds[number])


def listed(otherwise: Window) -> Window:
    """Return the window by `layer_types`; `otherwise` where the config has no such list."""

    def window(fields: Fields, number: int) -> int:
        kind = layer_type(fields, number, _KINDS)
        if not kind:
            return otherwise(fields, number)
        return fields.whole(_KINDS[kind]) if _KINDS[kind] else 0

    return window


def all_tokens(dummy_fields: Fields, dummy: int) -> int:
    """Return 0: every layer keeps all tokens."""
    return 0


def every_layer(fields: Fields, dummy: int) -> int:
    """Return the window of models in which all layers have one, where the config gives it."""
    return fields.whole("sliding_window", default=0, least=0)


def upper_layers(fields: Fields, number: int) -> int:
    """Return the window of layers from `max_window_layers` on, where `use_sliding_window` turns them on (Qwen)."""
    if not fields.flag("use_sliding_window") or not fields.has("sliding_window"):
        return 0
    first = fields.whole("max_window_layers", default=0, least=0)
    return fields.whole("sliding_window") if number >= first else 0


def all_but_each(period: int) -> Window:
    """Return the window of all layers but each n-th, which keeps all tokens. period: where the config does not say."""

    def window(fields: Fields, number: int) -> int:
        each = fields.whole("sliding_window_pattern", "_sliding_window_pattern", default=period)
        return 0 if (number + 1) % each == 0 else every_layer(fields, number)

    return window


def lettered(fields: Fields, number: int) -> int:
    """Return the window by a pattern of letters such as LLLG, of which L is local, or of all but each n-th layer (EXAONE)."""
    pattern = fields.raw("sliding_window_pattern") or 4
    if not fields.has("sliding_window"):
        return 0
    if not isinstance(pattern, str):
        pattern = "L" * (fields.count("sliding_window_pattern", default=4) - 1) + "G"
    last = number == fields.layers - 1
    local = pattern[number % len(pattern)] == "L"
    return fields.whole("sliding_window") if local and not last else 0


def chunks(fields: Fields, number: int) -> int:
    """Return the chunk of layers with positions; each n-th has none, and keeps all tokens (Llama 4)."""
    with_positions = fields.items("no_rope_layers")
    if with_positions:
        local = number < len(with_positions) and bool(with_positions[number])
    else:
        local = (number + 1) % fields.whole("no_rope_layer_interval", default=4) != 0
    return fields.whole("attention_chunk_size", default=0, least=0) if local else 0


def hybrid_pattern(fields: Fields, number: int) -> int:
    """Return the window of layers that `hybrid_layer_pattern` marks with 1 (MiMo-V2)."""
    marks = fields.items("hybrid_layer_pattern")
    if number >= len(marks):
        layers = fields.layers
        text = f"has {len(marks)} entries, and num_hidden_layers is {layers}"
        fields.fault("hybrid_layer_pattern", text)
        return 0
    return fields.whole("sliding_window") if marks[number] else 0
