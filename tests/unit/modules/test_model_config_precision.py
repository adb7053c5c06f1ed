# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantised models in gpu_resources: 2**30 numbers in linear layers, a quarter of them in attention."""

from __future__ import annotations

from typing import Any

import pytest

from .sized_models import grouped, sized

Json = dict[str, Any]
LINEAR: Json = {
    "model_type": "llama",
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 64,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 8,
    "torch_dtype": "bfloat16",
}
FP8 = {"quant_method": "fp8", "weight_block_size": [128, 128]}
AWQ = {"quant_method": "awq", "bits": 4, "zero_point": True}
GPTQ = {"quant_method": "gptq", "bits": 4}
BNB = {"quant_method": "bitsandbytes", "load_in_4bit": True}
OPT = {"quant_method": "modelopt", "quant_algo": "NVFP4"}


@pytest.mark.parametrize(
    ("quantization", "gib"),
    [
        (None, 2),
        (FP8, 1),
        ({"quant_method": "fp8"}, 1),
        ({**FP8, "weight_block_size": [1, 32]}, 1 + 4 / 32),
        ({"quant_method": "fbgemm_fp8"}, 1),
        ({**AWQ, "group_size": 128}, 0.5 + 2.5 / 128),
        ({**AWQ, "group_size": 32}, 0.5 + 2.5 / 32),
        ({**AWQ, "group_size": 32, "zero_point": False}, 0.5 + 2 / 32),
        ({**GPTQ, "group_size": 32}, 0.5 + 2.5 / 32),
        ({**GPTQ, "group_size": -1}, 0.5),
        ({**GPTQ, "bits": 8, "group_size": 32}, 1 + 3 / 32),
        (grouped(4, group_size=32), 0.5 + 2 / 32),
        (grouped(4, group_size=32, symmetric=False), 0.5 + 2.5 / 32),
        (grouped(4, "float", group_size=16), 0.5 + 1 / 16),
        (grouped(4, "float", group_size=32), 0.5 + 1 / 32),
        (grouped(8, "float", strategy="channel"), 1),
        (BNB, 0.5 + 4 / 64),
        ({**BNB, "bnb_4bit_use_double_quant": True}, 0.5 + (1 + 4 / 256) / 64),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, 1),
        (OPT, 0.5 + 1 / 16),
        ({**OPT, "quant_algo": "FP8"}, 1),
        ({"quant_algo": "FP8"}, 1),
        ({**FP8, "modules_to_not_convert": ["self_attn"]}, 0.75 + 0.5),
        ({**FP8, "modules_to_not_convert": ["gate"]}, 1),
        ({**FP8, "modules_to_not_convert": ["model.layers.0.mlp"]}, 1 + 0.75 / 64),
        ({**grouped(8, strategy="channel"), "ignore": ["re:.*mlp.*"]}, 0.25 + 1.5),
        (
            {**OPT, "quant_algo": "FP8", "ignore": ["model.layers.*.self_attn*", "lm_head"]},
            0.75 + 0.5,
        ),
        ({"quant_method": "mxfp4"}, 2),
        (
            {
                "quant_method": "modelopt",
                "quant_algo": "MIXED_PRECISION",
                "quantized_layers": {"model.layers.*.mlp.*": {"quant_algo": "FP8"}},
            },
            0.75 + 0.5,
        ),
    ],
)
def test_packed_weights_have_their_scales_and_zero_points(
    quantization: Json | None, gib: float
) -> None:
    config = {**LINEAR, "quantization_config": quantization}
    assert sized(config=config)["weights"] == pytest.approx(gib, abs=0.0065)


def test_the_cache_has_the_precision_that_a_quantised_model_asks_for() -> None:
    scheme = {"num_bits": 8, "type": "float"}
    for asked in (
        {"kv_cache_scheme": scheme},
        {"kv_cache_scheme": "FP8"},
        {"kv_cache_quant_algo": "FP8"},
    ):
        config = {**LINEAR, "quantization_config": {**OPT, **asked}}
        assert sized(config=config)["kv_cache_per_token"] == 64 * 2 * 8 * 128
        assert (
            sized(config=config, kv_precision="bf16")["kv_cache_per_token"] == 64 * 2 * 8 * 128 * 2
        )
