# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of weights and caches, against published figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from module_utils.accelerators.devices import Parallelism
from module_utils.accelerators.memory import check_model, kv_bytes_per_token, size
from module_utils.accelerators.model import Model, read_model

LLAMA_8B = Model(8_030_000_000, layers=32, attention_heads=32, kv_heads=8, hidden_size=4096)
LLAMA_70B = Model(70_600_000_000, layers=80, attention_heads=64, kv_heads=8, head_dim=128)
DEEPSEEK = Model(
    671 * 10**9, "fp8", layers=61, attention_heads=128, kv_lora_rank=512, rope_head_dim=64
)


def figures(model: Model, device: float = 0, **parallel: int) -> dict[str, float]:
    return {each.name: each.value for each in size(model, Parallelism(**parallel), device)}


@pytest.mark.parametrize(
    ("layers", "kv_heads", "head_dim", "kib"),
    [
        (32, 8, 128, 128),
        (80, 8, 128, 320),
        (126, 8, 128, 504),
        (28, 4, 128, 56),
        (64, 8, 128, 256),
        (36, 8, 128, 144),
        (48, 4, 128, 96),
    ],
)
def test_cache_of_a_token(layers: int, kv_heads: int, head_dim: int, kib: int) -> None:
    model = Model(1, layers=layers, kv_heads=kv_heads, head_dim=head_dim)
    assert kv_bytes_per_token(model) == kib * 1024


def test_latent_cache_is_neither_doubled_nor_split() -> None:
    assert kv_bytes_per_token(DEEPSEEK) == 70_272
    alone, split = figures(DEEPSEEK, 1000, tensor=1), figures(DEEPSEEK, 1000, tensor=8)
    assert split["kv_cache_per_token"] == alone["kv_cache_per_token"]
    assert split["tokens"] < 8 * alone["tokens"]


@pytest.mark.parametrize(
    ("model", "gib"), [(LLAMA_8B, 14.96), (LLAMA_70B, 131.5), (DEEPSEEK, 624.92)]
)
def test_weights(model: Model, gib: float) -> None:
    assert figures(model)["weights"] == gib


def test_head_dimension_follows_from_the_hidden_size() -> None:
    assert figures(LLAMA_8B)["kv_cache_per_token"] == 131_072


def test_eight_billion_on_one_large_device() -> None:
    found = figures(replace(LLAMA_8B, context=32_768), 80)
    assert found["kv_room_per_device"] == 55.04  # 80 × 0.9 − 14.96 − 2
    assert found["kv_cache_per_request"] == 4
    assert found["tokens"] == 450_911  # 55.04 GiB ÷ 128 KiB
    assert found["concurrency"] == 13.76


def test_tensor_beyond_the_heads_of_the_cache_saves_no_more() -> None:
    eight, sixteen = figures(LLAMA_70B, 80, tensor=8), figures(LLAMA_70B, 80, tensor=16)
    room = sixteen["kv_room_per_device"] / eight["kv_room_per_device"]
    assert sixteen["tokens"] / eight["tokens"] == pytest.approx(room, abs=0.01)
    (problem,) = check_model(LLAMA_70B, Parallelism(tensor=16), [], "p")
    assert (problem.severity, problem.rule) == ("warning", "tensor-kv-heads")


@pytest.mark.parametrize(
    ("model", "parallel", "device", "rule"),
    [
        (LLAMA_8B, {"tensor": 3}, 80, "tensor-heads"),
        (LLAMA_8B, {"pipeline": 33}, 80, "pipeline-layers"),
        (LLAMA_70B, {}, 80, "memory"),
        (
            Model(8 * 10**9, layers=32, kv_heads=8, head_dim=128, context=131_072),
            {},
            24,
            "memory",
        ),
    ],
)
def test_what_an_engine_refuses_is_said(
    model: Model, parallel: Any, device: float, rule: str
) -> None:
    wanted = Parallelism(**parallel)
    found = list(check_model(model, wanted, size(model, wanted, device), "parallelism"))
    assert rule in [problem.rule for problem in found]


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({}, ["m.parameters"]),
        ({"parameters": "eight"}, ["m.parameters"]),
        ({"parameters": 0}, ["m.parameters"]),
        ({"parameters": True}, ["m.parameters"]),
        ({"parameters": "8B", "precision": "fp3", "layers": 0}, ["m.precision", "m.layers"]),
        ({"parameters": "8B", "context": 1.5}, ["m.context"]),
        ({"parameters": "8.03B"}, []),
        ({"parameters": 8030000000}, []),
    ],
)
def test_every_problem_of_a_model_is_found_at_once(given: Any, paths: list[str]) -> None:
    model, problems = read_model(given, "m")
    assert [problem.path for problem in problems] == paths
    assert (model is None) == bool(paths)


def test_each_figure_says_what_it_rests_on() -> None:
    found = size(LLAMA_8B, Parallelism(), 80)
    assert all(each.basis and each.unit for each in found)
