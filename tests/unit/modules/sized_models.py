# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that gpu_resources sizes by their config.json, and what it says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .gpu_task import NVIDIA, rendered

Json = dict[str, Any]
TABLE: list[Json] = json.loads(
    (Path(__file__).parents[1] / "accelerators" / "model_sizes.json").read_text(encoding="utf-8")
)
GIB = 2**30
#: A plain model of 36 layers, and the index of its weights.
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


def sized(**model: Any) -> Json:
    """Return what a model takes: figures by name, and the warnings."""
    found = rendered(accelerator=NVIDIA, model=model)
    figures = {each["name"]: each["value"] for each in found["memory"]}
    return {**figures, "warnings": [str(each) for each in found.get("warnings", [])]}


def rows_with(part: str) -> list[Any]:
    return [pytest.param(row, id=row["model"]) for row in TABLE if part in row]


def row_of(model: str) -> Json:
    return next(row for row in TABLE if row["model"] == model)


def grouped(bits: int, kind: str = "int", **weights: Any) -> Json:
    described = {"num_bits": bits, "type": kind, "strategy": "group", **weights}
    return {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": described}},
    }
