# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_resources sizes a model by its config.json: against published figures, and with configs that cannot be used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.accelerators.memory import (
    request_bytes,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.model import (
    read_model,
)

from .test_gpu_resources import NVIDIA, refused, rendered, run

Json = dict[str, Any]
TABLE: list[Json] = json.loads(
    (Path(__file__).parents[1] / "accelerators" / "model_sizes.json").read_text(encoding="utf-8")
)
GIB = 2**30
#: The parts of a row that are a published figure, each with its source.
FIGURES = ("weights", "parameters", "cache", "log", "state")


def sized(**model: Any) -> Json:
    """Return what a model takes: figures by name, and the warnings."""
    found = rendered(accelerator=NVIDIA, model=model)
    figures = {each["name"]: each["value"] for each in found["memory"]}
    return {**figures, "warnings": [str(each) for each in found.get("warnings", [])]}


def rows_with(part: str) -> list[Any]:
    return [pytest.param(row, id=row["model"]) for row in TABLE if part in row]


# Published figures.


def test_the_table_is_large_and_has_sources() -> None:
    kinds = {(row["config"].get("text_config") or row["config"])["model_type"] for row in TABLE}
    assert len(kinds) >= 30
    for row in TABLE:
        sources = [
            row["config_source"],
            *(row[part]["source"] for part in FIGURES if part in row),
        ]
        assert all(re.match(r"https://\S+$", source) for source in sources), row["model"]
        assert len(sources) > 1, row["model"]


@pytest.mark.parametrize("row", rows_with("weights"))
def test_weights_are_within_one_percent_of_those_published(row: Json) -> None:
    found = sized(config=row["config"])
    drafts = found.get("draft_weights", 0) if row["weights"].get("without_drafts") else 0
    published = row["weights"]["bytes"] / GIB
    assert found["weights"] - drafts == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize("row", rows_with("cache"))
def test_cache_is_exactly_that_published(row: Json) -> None:
    published = row["cache"]
    found = sized(config=row["config"], kv_precision="bf16", context=published.get("tokens"))
    if "per_token" in published:
        value, unit = published["per_token"].split()
        figure = found["kv_cache_per_token"] / {"B": 1, "KiB": 1024}[unit]
    else:
        value, figure = published["per_request"], found["kv_cache_per_request"]
    assert round(figure, len(value.partition(".")[2])) == float(value)


@pytest.mark.parametrize("row", rows_with("parameters"))
def test_parameters_are_within_one_percent_of_those_published(row: Json) -> None:
    found = rendered(accelerator=NVIDIA, model={"config": row["config"]})
    figures = {each["name"]: each for each in found["memory"]}
    parameters = int(figures["weights"]["basis"].split()[0])
    drafts = figures.get("draft_weights", {"value": 0})["value"] / figures["weights"]["value"]
    if row["parameters"].get("without_drafts"):
        parameters = round(parameters * (1 - drafts))
    published = row["parameters"]["value"].removesuffix("B")
    rounding = 0.5 * 10 ** -len(published.partition(".")[2]) * 1e9
    margin = max(0.01 * float(published) * 1e9, rounding)
    assert abs(parameters - float(published) * 1e9) <= margin


@pytest.mark.parametrize("row", rows_with("log"))
def test_cache_of_a_device_is_what_an_engine_logs(row: Json) -> None:
    log = row["log"]
    model, dummy = read_model({"kv_precision": "bf16"}, "model", row["config"])
    assert model
    windows = log["layers"] == "with a window"
    kept = [replace(each, window=0) for each in model.all_kept if each.window or not windows]
    found = request_bytes(replace(model, kept=kept), log["tokens"], log["tensor"]) / GIB
    assert float(found) == pytest.approx(sum(map(float, log["gib"])), abs=0.011)


@pytest.mark.parametrize("row", rows_with("state"))
def test_state_is_what_an_engine_logs(row: Json) -> None:
    log = row["state"]
    dtype = {"dtype": log["precision"]}
    text = {**row["config"]["text_config"], **dtype, "mamba_ssm_dtype": log["precision"]}
    found = sized(config={**row["config"], **dtype, "text_config": text})["state_per_request"]
    assert round(found * log["requests"] / 2**20, 2) == float(log["mib"])


# Files, text and maps.

DENSE: Json = {
    "model_type": "qwen3",
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
    "max_position_embeddings": 40960,
    "tie_word_embeddings": False,
    "dtype": "bfloat16",
}
INDEX: Json = {"metadata": {"total_size": 16381470720}, "weight_map": {"lm_head.weight": "a"}}


def test_config_is_a_map_a_text_a_file_or_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(DENSE), encoding="utf-8")
    expected = sized(config=DENSE)
    for given in (json.dumps(DENSE), str(file), str(tmp_path)):
        assert sized(config=given) == expected
    assert expected["kv_cache_per_token"] == 147_456


def test_index_beside_the_config_is_the_size_of_the_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(DENSE), encoding="utf-8")
    index = {**INDEX, "metadata": {"total_size": 16 * GIB}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert sized(config=str(tmp_path))["weights"] == 16
    own = {**INDEX, "metadata": {"total_size": 15 * GIB}}
    assert sized(config=str(tmp_path), index=own)["weights"] == 15


def test_context_is_what_the_config_allows_and_less_where_it_is_given() -> None:
    figures = sized(config=DENSE)
    assert figures["kv_cache_per_request"] == round(147_456 * 40_960 / GIB, 2)
    assert sized(config=DENSE, context=4096)["kv_cache_per_request"] == round(
        147_456 * 4096 / GIB, 2
    )
    assert "more than the 40960 tokens" in str(sized(config=DENSE, context=50_000)["warnings"])


def test_what_is_given_by_hand_holds_and_a_contradiction_is_told() -> None:
    found = sized(config=DENSE, kv_heads=4, precision="fp8", parameters="9B", kv_precision="fp8")
    assert found["kv_cache_per_token"] == 2 * 36 * 4 * 128
    assert found["weights"] == round(9e9 / GIB, 2)
    told = str(found["warnings"])
    assert "model.kv_heads: 4 is given, but the config says 8; the given value counts" in told
    assert 'model.precision: "fp8" is given, but the config says "bf16"' in told
    assert "model.parameters: 9000000000 is given" in told
    assert not sized(config=DENSE, kv_heads=8, parameters="8.19B")["warnings"]


def test_model_optimizer_says_quantisation_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(DENSE), encoding="utf-8")
    said = {
        "quantization": {
            "quant_algo": "FP8",
            "kv_cache_quant_algo": "FP8",
            "exclude_modules": ["lm_head"],
        }
    }
    (tmp_path / "hf_quant_config.json").write_text(json.dumps(said), encoding="utf-8")
    found = sized(config=str(tmp_path))
    assert found["kv_cache_per_token"] == 147_456 / 2
    assert found["weights"] == pytest.approx(sized(config=DENSE)["weights"] * 0.576, rel=0.01)


def test_layers_that_draft_count_where_the_checkpoint_has_them() -> None:
    config = {**DENSE, "model_type": "mimo", "num_nextn_predict_layers": 1}
    names = {"model.layers.0.a": "f", "model.mtp_layers.0.a": "f"}
    size = {"metadata": {"total_size": 17 * GIB}}
    assert sized(config=config)["draft_weights"] == 0.42
    assert sized(config=config, index={**size, "weight_map": names})["draft_weights"] == 0.42
    del names["model.mtp_layers.0.a"]
    assert "draft_weights" not in sized(config=config, index={**size, "weight_map": names})
    names["model.layers.36.a"] = "f"
    assert "draft_weights" in sized(config=config, index={**size, "weight_map": names})


# Windows, shared caches and states: four layers of 4 GiB for a request of 2**20 tokens, a window of 2**16.

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


def row_of(model: str) -> Json:
    return next(row for row in TABLE if row["model"] == model)


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


# Quantisation: a model with 2**30 numbers in linear layers, a quarter of them in attention.

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


def grouped(bits: int, kind: str = "int", **weights: Any) -> Json:
    described = {"num_bits": bits, "type": kind, "strategy": "group", **weights}
    return {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": described}},
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


# What cannot be used.


FUSED: Json = {"targets": ["FusedMoE"], "weights": {"num_bits": 4, "group_size": 32}}


def without(*names: str) -> Json:
    return {name: value for name, value in DENSE.items() if name not in names}


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            {},
            [
                "model.parameters: missing: give parameters such as 8.03B, or the model's config.json as config"
            ],
        ),
        (
            {"config": "/nowhere/config.json"},
            ["model.config: /nowhere/config.json: there is no such file"],
        ),
        ({"config": "/nowhere"}, ["there is no such file on the Ansible controller"]),
        ({"config": ""}, ['model.config: "" is neither a path nor a map']),
        ({"config": 3}, ["model.config: 3 is neither a path nor a map"]),
        ({"config": "[1, 2]"}, ["model.config: holds a list, not an object"]),
        ({"config": "{broken"}, ["model.config: is not JSON: ", "line 1, column 2"]),
        ({"config": {}}, ["model.config: has no model_type"]),
        (
            {"config": {"_class_name": "FluxPipeline", "_diffusers_version": "0.30"}},
            ["(diffusers), which has no KV cache"],
        ),
        (
            {"config": {"peft_type": "LORA"}},
            ["is an adapter; give the config.json of its base model"],
        ),
        ({"config": INDEX}, ["is the index of the weights; give it as index"]),
        (
            {"config": {"model_type": "bert"}},
            [
                'model_type: "bert" is a model class that is not known here; give model.parameters (or an index), layers, kv_heads and head_dim'
            ],
        ),
        ({"config": {**DENSE, "model_type": "qwen33"}}, ["(near: qwen3"]),
        (
            {"config": without("num_hidden_layers", "vocab_size", "num_attention_heads")},
            [
                "3 problems",
                "model.config.num_hidden_layers: missing",
                "give model.layers",
                "model.config.vocab_size: missing",
                "model.config.num_attention_heads: missing",
            ],
        ),
        (
            {"config": {**DENSE, "num_hidden_layers": "36", "hidden_size": 0, "vocab_size": 1.5}},
            [
                "3 problems",
                '"36" is not a whole number of 1 or more',
                "hidden_size: 0",
                "vocab_size: 1.5",
            ],
        ),
        ({"config": {**DENSE, "text_config": [1]}}, ["model.config.text_config: [1] is not a map"]),
        ({"config": {**DENSE, "dtype": "int3"}}, ['dtype: "int3" is not one of bfloat16']),
        (
            {"config": {**DENSE, "quantization_config": {"quant_method": "aqlm"}}},
            [
                'model.config.quantization_config.quant_method: "aqlm" is not a method that is known here (fp8'
            ],
        ),
        ({"config": {**DENSE, "quantization_config": {}}}, ["quant_method: null is not a method"]),
        (
            {"config": {**DENSE, "quantization": {"bits": 4, "group_size": 64}}},
            ["model.config.quantization.quant_method: null is not a method"],
        ),
        (
            {"config": {**DENSE, "quantization_config": {"quant_method": "awq", "bits": "4"}}},
            ["2 problems", 'bits: "4" is not a whole number', "group_size: missing"],
        ),
        (
            {
                "config": {
                    **DENSE,
                    "quantization_config": {"quant_method": "modelopt", "quant_algo": "FP2"},
                }
            },
            ['quant_algo: "FP2" is not known here'],
        ),
        (
            {
                "config": {
                    **DENSE,
                    "quantization_config": {**grouped(4), "ignore": ["re:(", "lm_head"]},
                }
            },
            ['ignore: "re:(" is not a regular expression'],
        ),
        (
            {"config": {**DENSE, "model_type": "kimi_linear", "routed_expert_hidden_size": 8}},
            [
                "routed_expert_hidden_size: models of class kimi_linear with this field are not known here"
            ],
        ),
        (
            {"config": {**DENSE, "model_type": "nemotron_h", "hybrid_override_pattern": "MX"}},
            ["hybrid_override_pattern: has 2 entries, and num_hidden_layers is 36"],
        ),
        (
            {"config": {**DENSE, "model_type": "gemma3n_text"}},
            ["the tensors of this part are not known here"],
        ),
        (
            {"config": {**DENSE, "quantization_config": "fp8"}},
            ['quantization_config: "fp8" is not a map'],
        ),
        (
            {"config": {**DENSE, "layer_types": ["full_attention"] * 3}},
            ["layer_types: has 3 entries, and num_hidden_layers is 36"],
        ),
        (
            {"config": {**DENSE, "layer_types": ["full_attention"] * 35 + ["spiral"]}},
            ['layer_types: "spiral" is not a kind of layer that is known here'],
        ),
        (
            {"config": {**DENSE, "model_type": "lfm2", "layer_types": ["mamba"] * 36}},
            [
                'layer_types: "mamba" is not a kind of layer that is known here (full_attention, conv)'
            ],
        ),
        (
            {
                "config": {
                    **DENSE,
                    "model_type": "qwen3_moe",
                    "num_experts": 2,
                    "mlp_layer_types": ["sparse"],
                }
            },
            ["mlp_layer_types: has 1 entries, and num_hidden_layers is 36"],
        ),
        (
            {
                "config": {
                    **DENSE,
                    "model_type": "glm4_moe",
                    "n_routed_experts": 2,
                    "mlp_layer_types": ["x"] * 36,
                }
            },
            ['mlp_layer_types: "x" is not one of dense, sparse'],
        ),
        (
            {
                "config": {
                    **DENSE,
                    "quantization_config": {**grouped(4), "config_groups": {"g": FUSED}},
                }
            },
            ['targets: "FusedMoE" is not known here; known are Linear'],
        ),
        (
            {"config": {**DENSE, "vision_config": {"depth": 3}}},
            ["vision_config: the tensors of this part are not known here; give the index"],
        ),
        (
            {"config": {**DENSE, "mamba_ssm_dtype": "float8"}},
            ['mamba_ssm_dtype: "float8" is not one of auto, bfloat16'],
        ),
        ({"config": DENSE, "index": {"a": 1}}, ["model.index: no metadata.total_size"]),
        (
            {"config": DENSE, "index": {"metadata": {"total_size": "big"}}},
            ['total_size: "big" is not a whole number'],
        ),
        ({"config": {"model_type": "bert"}, "layers": 0, "precision": "fp3"}, ["3 problems"]),
    ],
)
def test_a_config_that_cannot_be_used_is_refused_with_all_problems(
    model: Json, said: list[str]
) -> None:
    message = refused(accelerator=NVIDIA, model=model)
    for part in said:
        assert part in message


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "model.gguf",
            b"GGUF\x03",
            "is a GGUF file; give the config.json of the model that it was made from",
        ),
        ("renamed.json", b"GGUF\x03", "is a GGUF file"),
        ("model.safetensors", b"\x80\xff\xfe\xfd{}", "is not text; is it a file of weights?"),
        ("config.json", b'"text"', "holds a text, not an object"),
        ("config.json", b"[" * 100_000, "is not usable JSON: it is nested too deeply"),
        ("config.json", b"", "is not JSON"),
    ],
)
def test_a_file_that_is_something_else_is_named(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    message = refused(accelerator=NVIDIA, model={"config": str(file)})
    assert str(file) in message
    assert said in message


UNREADABLE = {**DENSE, "quantization_config": {"quant_method": "aqlm"}}


def test_a_quantisation_that_is_not_known_needs_the_index_or_the_precision() -> None:
    assert "give the index, or model.precision" in refused(
        accelerator=NVIDIA, model={"config": UNREADABLE}
    )
    index = {**INDEX, "metadata": {"total_size": 4 * GIB}}
    found = sized(config=UNREADABLE, index=index)
    assert found["weights"] == 4
    assert "quant_method" in str(found["warnings"])
    assert "is it the index of this model" not in str(found["warnings"])
    assert sized(config=UNREADABLE, precision="int4")["weights"] == 3.81  # 8.19 billion / 2
    assert sized(config={**DENSE, "dtype": "int3"}, precision="int4")["weights"] == 3.81


def test_an_unknown_class_is_sized_by_hand_with_its_index() -> None:
    config = {**DENSE, "model_type": "novel"}
    found = sized(config=config, index=INDEX, layers=36, kv_heads=8, head_dim=128)
    assert found["kv_cache_per_token"] == 147_456
    assert found["weights"] == round(16381470720 / GIB, 2)
    assert "taken as given by hand, all with full attention" in str(found["warnings"])


#: What may stand in a field by mistake.
ODD = ("x", -1, 0, [], {}, None, 1.5, [None], {"a": None}, 10**30)


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every field, and of the first entries of lists."""
    entries = value.items() if isinstance(value, dict) else enumerate(value[:2])
    for name, below in entries:
        yield (*place, name)
        if isinstance(below, (dict, list)):
            yield from places(below, (*place, name))


def put(config: Json, place: tuple[Any, ...], value: Any) -> Json:
    """Return a config with another value at a place."""
    changed: Any = deepcopy(config)
    part = changed
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    return dict(changed)


@pytest.mark.parametrize("row", rows_with("config")[::6])
def test_whatever_stands_in_a_field_is_sized_or_refused_in_words(row: Json) -> None:
    for number, place in enumerate(places(row["config"])):
        for odd in ODD[number % 3 :: 3]:
            config = put(row["config"], place, odd)
            result = run(state="rendered", accelerator=NVIDIA, model={"config": config})
            message = str(result.get("msg", ""))
            assert result["memory"] or "problem" in message, (place, odd)
            assert "Traceback" not in message
