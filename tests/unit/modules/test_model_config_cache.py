# SPDX-License-Identifier: GPL-3.0-or-later
"""What gpu_resources keeps for a request: windows, shared caches and states.

Four layers have 4 GiB for a request of 2**20 tokens, with a window of 2**16.
"""

from __future__ import annotations

from typing import Any

import pytest

from .gpu_task import NVIDIA, rendered
from .sized_models import DENSE, row_of, sized

Json = dict[str, Any]
WINDOW, CONTEXT = 2**16, 2**20
FOUR: Json = {
    **DENSE,
    "num_hidden_layers": 4,
    "max_position_embeddings": CONTEXT,
    "layer_types": None,
}
SLIDING = {"sliding_window": WINDOW}


@pytest.mark.parametrize(
    ("fields", "gib"),
    [
        ({"model_type": "llama"}, 16),
        ({"model_type": "llama", **SLIDING}, 16),
        ({"model_type": "mistral", **SLIDING}, 1),
        ({"model_type": "mistral", "sliding_window": None}, 16),
        ({"model_type": "mistral"}, 0.06),
        ({"model_type": "qwen2", **SLIDING, "use_sliding_window": False}, 16),
        (
            {"model_type": "qwen2", **SLIDING, "use_sliding_window": True, "max_window_layers": 3},
            12.25,
        ),
        ({"model_type": "gemma2", **SLIDING}, 8.5),
        ({"model_type": "gemma3_text", **SLIDING, "sliding_window_pattern": 2}, 8.5),
        ({"model_type": "gpt_oss", **SLIDING, "num_local_experts": 2}, 8.5),
        ({"model_type": "cohere2", **SLIDING}, 4.75),
        ({"model_type": "exaone4", **SLIDING, "sliding_window_pattern": "LLLG"}, 4.75),
        ({"model_type": "exaone4", "sliding_window": None}, 16),
        (
            {
                "model_type": "olmo3",
                **SLIDING,
                "layer_types": ["full_attention"] + ["sliding_attention"] * 3,
            },
            4.75,
        ),
        (
            {
                "model_type": "llama4_text",
                "attention_chunk_size": WINDOW,
                "no_rope_layers": [1, 1, 1, 0],
                "intermediate_size_mlp": 1,
                "num_local_experts": 2,
            },
            4.75,
        ),
        ({"model_type": "llama4_text", "attention_chunk_size": None, "num_local_experts": 2}, 16),
        (
            {
                "model_type": "gemma4_text",
                "layer_types": ["full_attention"] * 4,
                "num_kv_shared_layers": 3,
            },
            4,
        ),
        (
            {
                "model_type": "mimo_v2_flash",
                **SLIDING,
                "hybrid_layer_pattern": [0, 1, 1, 1],
                "swa_num_attention_heads": 32,
                "swa_num_key_value_heads": 16,
                "swa_head_dim": 128,
                "swa_v_head_dim": 128,
            },
            5.5,
        ),
    ],
)
def test_windows_and_shared_caches(fields: Json, gib: float) -> None:
    assert sized(config={**FOUR, **fields})["kv_cache_per_request"] == gib


def test_beyond_the_window_only_the_other_layers_grow() -> None:
    figures = sized(config={**FOUR, "model_type": "cohere2", **SLIDING})
    assert figures["kv_cache_per_token"] == 4 * 4096
    assert figures["kv_cache_per_token_beyond_window"] == 4096


def test_requests_that_fit_reckon_with_windows() -> None:
    config = {**FOUR, "model_type": "cohere2", **SLIDING}
    found = rendered(accelerator={**NVIDIA, "memory": 80}, model={"config": config})
    figures = {each["name"]: each["value"] for each in found["memory"]}
    assert figures["concurrency"] == pytest.approx(figures["kv_room_per_device"] / 4.75, abs=0.01)


def test_a_state_is_the_same_however_long_the_request() -> None:
    config = row_of("Qwen3.5-122B-A10B")["config"]
    text = config["text_config"]
    heads, channels = text["linear_num_value_heads"], 128
    layers = text["layer_types"].count("linear_attention")
    width = 2 * text["linear_num_key_heads"] * 128 + heads * 128
    expected = layers * (heads * channels * channels * 4 + width * 3 * 2)
    for context in (1, 1_000_000):
        assert sized(config=config, context=context)["state_per_request"] == expected


def test_a_hybrid_keeps_a_cache_only_where_it_has_attention() -> None:
    config = row_of("NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")["config"]
    assert config["hybrid_override_pattern"].count("*") == 6
    figures = sized(config=config)
    assert figures["kv_cache_per_token"] == 6 * 2 * 2 * 128 * 2
    assert figures["state_per_request"] == 23 * (64 * 64 * 128 * 4 + 6144 * 3 * 2)


def test_a_sparse_indexer_has_a_cache_of_its_own() -> None:
    figures = sized(config=row_of("DeepSeek-V3.2")["config"])
    assert figures["kv_cache_per_token"] == 61 * 576 * 2
    assert figures["indexer_cache_per_token"] == 61 * (128 + 4)
