# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that work together have to be told the same: leaders and workers of a group, prefill and decode."""

from __future__ import annotations

from typing import Any

import pytest

from .checked import told_by
from .services import grouped, llm_inference_service, of_vendor, server, server_with, split

Json = dict[str, Any]


def serving(model: str, *args: str) -> Json:
    found = server(*args)
    found["containers"][0]["command"] = ["vllm", "serve", model]
    return found


@pytest.mark.parametrize("release", ["0.17", "0.20"])
@pytest.mark.parametrize(
    ("leader", "worker", "said"),
    [
        (serving("acme/one"), serving("acme/two"), "the model is acme/two in the workers"),
        (server("--quantization=awq"), server("--quantization=fp8"), "--quantization is fp8"),
        (server("--max-model-len=8192"), server(), "--max-model-len is not given in the workers"),
        (server(), server("--enforce-eager"), "--enforce-eager is given in the workers"),
    ],
)
def test_a_worker_that_is_told_something_else_is_told(
    leader: Json, worker: Json, said: str, release: str
) -> None:
    (message,) = told_by(("group-differs",), grouped(leader, worker), release=release)
    assert message.startswith("spec.worker.containers[0].args: ")
    assert said in message


@pytest.mark.parametrize(
    ("leader", "worker"),
    [
        (server("--dtype=half", "--port=8000"), server("--dtype=float16", "--headless")),
        (server("--dtype=half"), {"containers": [{"name": "main", "command": ["ray", "start"]}]}),
        (server("--max-model-len=1"), server("--config=/etc/vllm.yaml")),
    ],
)
def test_workers_that_are_told_the_same_are_not(leader: Json, worker: Json) -> None:
    assert told_by(("group-differs",), grouped(leader, worker)) == []


def test_variables_of_a_group_are_compared_as_well() -> None:
    leader, worker = server(), server()
    leader["containers"][0]["env"] = [{"name": "VLLM_ALL2ALL_BACKEND", "value": "pplx"}]
    (message,) = told_by(("group-differs",), grouped(leader, worker))
    assert "VLLM_ALL2ALL_BACKEND is not given in the workers" in message


def test_variables_of_prefill_and_decode_are_compared_as_well() -> None:
    prefill, decode = server(), server()
    for pod, layout in ((prefill, "HND"), (decode, "NHD")):
        pod["containers"][0]["env"] = [{"name": "VLLM_KV_CACHE_LAYOUT", "value": layout}]
    service = llm_inference_service(template=decode, prefill={"template": prefill})
    (message,) = told_by(("kv-connector",), service)
    assert "VLLM_KV_CACHE_LAYOUT of prefill is HND" in message


def test_the_groups_of_prefill_are_read_as_well() -> None:
    part = {"template": server_with("1"), "worker": of_vendor("amd.com/gpu")}
    prefill = {**part, "parallelism": {"data": 2, "dataLocal": 1}}
    (message,) = told_by(("group-devices",), split(prefill=prefill))
    assert message.startswith("spec.prefill.worker.containers[0].resources: each worker")


def test_a_group_on_equal_devices_is_not_told() -> None:
    assert told_by(("group-devices",), grouped(server_with("1"), server_with("1"))) == []


@pytest.mark.parametrize(
    ("prefill", "decode", "said"),
    [
        (serving("acme/one"), serving("acme/two"), "the model of prefill is acme/one"),
        (server("--dtype=bfloat16"), server("--dtype=half"), "--dtype of prefill is bfloat16"),
        (server("--quantization=fp8"), server("--quantization=awq"), "--quantization of prefill"),
        (server("--tokenizer=a/b"), server("--tokenizer=a/c"), "--tokenizer of prefill is a/b"),
        (server("--dtype=float16"), server("--dtype=half"), ""),
        (server("--dtype=auto"), server("--dtype=half"), ""),
        (server("--quantization=fp8"), server(), ""),
    ],
)
def test_prefill_and_decode_run_one_model(prefill: Json, decode: Json, said: str) -> None:
    found = told_by(
        ("kv-connector",), llm_inference_service(template=decode, prefill={"template": prefill})
    )
    assert len(found) == bool(said)
    assert all(said in each for each in found)
