# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of models by their config.json, against published figures."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.accelerators.memory import (
    request_bytes,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.model import (
    read_model,
)

from .gpu_task import NVIDIA, rendered
from .sized_models import GIB, TABLE, rows_with, sized

Json = dict[str, Any]
#: The parts of a row that are a published figure, each with its source.
FIGURES = ("weights", "parameters", "cache", "log", "state")


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
