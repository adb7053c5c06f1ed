# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_resources sizes a model by its config.json: files, texts and maps, and what is given by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .gpu_task import NVIDIA, refused
from .sized_models import DENSE, GIB, INDEX, sized

Json = dict[str, Any]


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
