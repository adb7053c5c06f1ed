# SPDX-License-Identifier: GPL-3.0-or-later
"""The router of a graph is told byte for byte what KServe's controller would tell it: the text that Go makes of the same spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.inference_graph.router_json import router_json
from module_utils.kinds.inference_graph.schema import SPEC
from module_utils.kube.schema_check import check

RECORDED = Path(__file__).parent / "recordings" / "inference_graph" / "router_json.jsonl"
GRAPHS: list[dict[str, Any]] = [
    json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("number", range(len(GRAPHS)))
def test_a_graph_is_written_as_go_writes_it(number: int) -> None:
    read = check(SPEC, GRAPHS[number]["spec"], "spec", keep_empty=True)
    assert read.problems == ()
    assert router_json(read.value) == GRAPHS[number]["json"]


def test_every_recorded_graph_is_looked_at() -> None:
    assert len(GRAPHS) == 60
    written = "".join(each["json"] for each in GRAPHS)
    assert [field for field in SPEC.fields if f'"{field}":' not in written] == []
