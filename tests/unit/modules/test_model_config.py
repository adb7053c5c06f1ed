# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_resources sizes a model by its config.json: against published figures, and with configs that cannot be used."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from .test_gpu_resources import NVIDIA, refused, rendered

Json = dict[str, Any]
TABLE: list[Json] = json.loads(
    (Path(__file__).parents[1] / "accelerators" / "model_sizes.json").read_text(encoding="utf-8")
)
GIB = 2**30


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
    assert len(kinds) >= 20
    for row in TABLE:
        sources = [
            row["config_source"],
            *(row[part]["source"] for part in ("weights", "cache") if part in row),
        ]
        assert all(re.match(r"https://\S+$", source) for source in sources), row["model"]


@pytest.mark.parametrize("row", rows_with("weights"))
def test_weights_are_within_one_percent_of_those_published(row: Json) -> None:
    found = sized(config=row["config"])
    drafts = found.get("draft_weights", 0) if row["weights"].get("without_drafts") else 0
    published = row["weights"]["bytes"] / GIB
    assert found["weights"] - drafts == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize("row", rows_with("cache"))
def test_cache_of_a_token_is_exactly_that_published(row: Json) -> None:
    found = sized(config=row["config"], kv_precision="bf16")
    value, unit = row["cache"]["per_token"].split()
    size = {"B": 1, "KiB": 1024}[unit]
    digits = len(value.partition(".")[2])
    assert round(found["kv_cache_per_token"] / size, digits) == float(value)


@pytest.mark.parametrize("row", rows_with("parameters"))
def test_parameters_are_within_one_percent_of_those_published(row: Json) -> None:
    found = rendered(accelerator=NVIDIA, model={"config": row["config"]})
    basis = next(each["basis"] for each in found["memory"] if each["name"] == "weights")
    published = float(row["parameters"]["value"].removesuffix("B")) * 1e9
    assert int(basis.split()[0]) == pytest.approx(published, rel=0.01)


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
    assert "model.kv_heads: 4 is given, and the config says 8; what is given holds" in told
    assert 'model.precision: "fp8" is given, and the config says "bf16"' in told
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


# What cannot be used.


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
            {"config": {**DENSE, "vision_config": {"depth": 3}}},
            ["vision_config: the tensors of this part are not known here; give the index"],
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
        ("config.json", b"[" * 100_000, "is not JSON"),
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


def test_an_unknown_class_is_sized_by_hand_with_its_index() -> None:
    config = {**DENSE, "model_type": "novel"}
    found = sized(config=config, index=INDEX, layers=36, kv_heads=8, head_dim=128)
    assert found["kv_cache_per_token"] == 147_456
    assert found["weights"] == round(16381470720 / GIB, 2)
    assert "taken as given by hand, all with full attention" in str(found["warnings"])
