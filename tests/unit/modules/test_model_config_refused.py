# SPDX-License-Identifier: GPL-3.0-or-later
"""A config.json that gpu_resources cannot use is refused with every problem."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from .gpu_task import NVIDIA, refused, run
from .sized_models import DENSE, INDEX, grouped, rows_with

Json = dict[str, Any]
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
    ("fields", "said"),
    [
        ({"model_type": "qwen33"}, ["(near: qwen3"]),
        (
            {"num_hidden_layers": "36", "hidden_size": 0, "vocab_size": 1.5},
            [
                "3 problems",
                '"36" is not a whole number of 1 or more',
                "hidden_size: 0",
                "vocab_size: 1.5",
            ],
        ),
        ({"text_config": [1]}, ["model.config.text_config: [1] is not a map"]),
        ({"dtype": "int3"}, ['dtype: "int3" is not one of bfloat16']),
        (
            {"quantization_config": {"quant_method": "aqlm"}},
            [
                'model.config.quantization_config.quant_method: "aqlm" is not a method that is known here (fp8'
            ],
        ),
        ({"quantization_config": {}}, ["quant_method: null is not a method"]),
        (
            {"quantization": {"bits": 4, "group_size": 64}},
            ["model.config.quantization.quant_method: null is not a method"],
        ),
        (
            {"quantization_config": {"quant_method": "awq", "bits": "4"}},
            ["2 problems", 'bits: "4" is not a whole number', "group_size: missing"],
        ),
        (
            {"quantization_config": {"quant_method": "modelopt", "quant_algo": "FP2"}},
            ['quant_algo: "FP2" is not known here'],
        ),
        (
            {"quantization_config": {**grouped(4), "ignore": ["re:(", "lm_head"]}},
            ['ignore: "re:(" is not a regular expression'],
        ),
        (
            {"model_type": "kimi_linear", "routed_expert_hidden_size": 8},
            [
                "routed_expert_hidden_size: models of class kimi_linear with this field are not known here"
            ],
        ),
        (
            {"model_type": "nemotron_h", "hybrid_override_pattern": "MX"},
            ["hybrid_override_pattern: has 2 entries, and num_hidden_layers is 36"],
        ),
        ({"model_type": "gemma3n_text"}, ["the tensors of this part are not known here"]),
        ({"quantization_config": "fp8"}, ['quantization_config: "fp8" is not a map']),
        (
            {"layer_types": ["full_attention"] * 3},
            ["layer_types: has 3 entries, and num_hidden_layers is 36"],
        ),
        (
            {"layer_types": ["full_attention"] * 35 + ["spiral"]},
            ['layer_types: "spiral" is not a kind of layer that is known here'],
        ),
        (
            {"model_type": "lfm2", "layer_types": ["mamba"] * 36},
            [
                'layer_types: "mamba" is not a kind of layer that is known here (full_attention, conv)'
            ],
        ),
        (
            {"model_type": "qwen3_moe", "num_experts": 2, "mlp_layer_types": ["sparse"]},
            ["mlp_layer_types: has 1 entries, and num_hidden_layers is 36"],
        ),
        (
            {"model_type": "glm4_moe", "n_routed_experts": 2, "mlp_layer_types": ["x"] * 36},
            ['mlp_layer_types: "x" is not one of dense, sparse'],
        ),
        (
            {"quantization_config": {**grouped(4), "config_groups": {"g": FUSED}}},
            ['targets: "FusedMoE" is not known here; known are Linear'],
        ),
        (
            {"vision_config": {"depth": 3}},
            ["vision_config: the tensors of this part are not known here; give the index"],
        ),
        ({"mamba_ssm_dtype": "float8"}, ['mamba_ssm_dtype: "float8" is not one of auto, bfloat16']),
    ],
)
def test_a_field_that_cannot_be_used_is_refused_with_all_problems(
    fields: Json, said: list[str]
) -> None:
    message = refused(accelerator=NVIDIA, model={"config": {**DENSE, **fields}})
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
