# SPDX-License-Identifier: GPL-3.0-or-later
"""An engine's command line against the devices that its container gets."""

from __future__ import annotations

import pytest

from module_utils.checks.devices import said_sizes
from module_utils.checks.workloads import workload_device_problems
from tests.unit.accelerators.build import Json, container, deployment
from tests.unit.modules.task import rendered

from .services import VLLM, llm


@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        (["--tensor-parallel-size", "4"], {"tensor": 4}),
        (["--tensor-parallel-size=4", "-pp", "2"], {"tensor": 4, "pipeline": 2}),
        (["--tensor_parallel_size=4"], {"tensor": 4}),
        (
            ["-c", "exec vllm serve m --tensor-parallel-size 2 -dpl '4'"],
            {"tensor": 2, "data_local": 4},
        ),
        (["--tensor-parallel-size", "$(TP)"], {"tensor": 8}),
        (["-c", "vllm serve --tensor-parallel-size ${TP}"], {"tensor": 8}),
        (["--tensor-parallel-size", "$(ELSEWHERE)"], {}),
        (["--tensor-parallel-size", "many"], {}),
        (["--tensor-parallel-size"], {}),
        (["--tp-size", "2", "--dp-size", "2"], {"tensor": 2}),
        (["--max-model-len", "4"], {}),
    ],
)
def test_sizes_are_read(words: list[str], sizes: Json) -> None:
    env = [{"name": "TP", "value": "8"}, {"name": "ELSEWHERE", "valueFrom": {}}]
    assert said_sizes({"args": words, "env": env}) == sizes


def said(devices: int, *words: str, resource: str = "nvidia.com/gpu", size: int = 0) -> str:
    workload = deployment(devices, resource=resource)
    template = workload["spec"]["template"]
    template["spec"]["containers"][0]["args"] = list(words)
    if size:
        group = {"size": size, "workerTemplate": template}
        workload = {
            **workload,
            "kind": "LeaderWorkerSet",
            "spec": {"leaderWorkerTemplate": group},
        }
    found = [each for each in workload_device_problems(workload) if each.rule == "engine-arguments"]
    return " ".join(f"{problem.severity}: {problem}" for problem in found)


@pytest.mark.parametrize(
    ("devices", "words", "size"),
    [
        (4, ["-tp", "4"], 0),
        (8, ["-tp", "2", "-dp", "4"], 0),
        (2, ["-tp", "2", "-dp", "4"], 0),  # a rank in each pod
        (8, ["-tp", "1", "-dp", "16", "-dpl", "8"], 0),
        (8, ["-tp", "8", "-pp", "2"], 2),
        (8, ["-tp", "16"], 2),
        (8, ["-tp", "1", "-dp", "16", "-dpl", "8"], 2),
        (4, [], 0),
        (0, ["-tp", "4"], 0),  # tensor ranks of a cpu
    ],
)
def test_numbers_that_agree_are_not_mentioned(devices: int, words: list[str], size: int) -> None:
    assert said(devices, *words, size=size) == ""


@pytest.mark.parametrize(
    ("devices", "words", "size", "text"),
    [
        (
            1,
            ["--tensor-parallel-size", "2"],
            0,
            "started with tensor 2 and gets 1 nvidia.com/gpu, so it will not start; request 2",
        ),
        (
            8,
            ["-tp", "8", "-pp", "2"],
            0,
            "error: spec.template.spec.containers[0].resources: the engine",
        ),
        (8, ["-tp", "4"], 0, "warning: spec.template.spec.containers[0].resources: the engine"),
        (8, ["-tp", "4"], 0, "gets 8 nvidia.com/gpu, of which it uses 4"),
        (4, ["-tp", "8", "-pp", "2"], 2, "warning: "),
        (8, ["-c", "ray start --head; vllm serve -tp 16"], 0, "warning: "),
    ],
)
def test_numbers_that_differ_are_named(
    devices: int, words: list[str], size: int, text: str
) -> None:
    assert text in said(devices, *words, size=size)


def test_devices_of_which_one_runs_several_ranks_are_left_alone() -> None:
    assert said(4, "-tp", "8", resource="google.com/tpu") == ""


def test_container_beside_the_engine_is_left_alone() -> None:
    workload = deployment(4)
    workload["spec"]["template"]["spec"]["containers"].append({**container(), "args": ["-tp", "2"]})
    assert list(workload_device_problems(workload)) == []


@pytest.mark.parametrize(
    ("args", "devices", "told"),
    [
        (["--data-parallel-size=4"], "1", "request 4"),
        (["-tp", "2", "-dp", "4"], "2", "request 8"),
        (["--data-parallel-size=4"], "4", ""),
        (["--data-parallel-size=4", "--data-parallel-rank=1"], "1", ""),
        (["--data-parallel-size=4", "--data-parallel-size-local=1"], "1", ""),
    ],
)
def test_single_pod_has_a_device_for_each_copy_of_the_model(
    args: list[str], devices: str, told: str
) -> None:
    result = rendered(llm(*args, devices={"nvidia.com/gpu": devices}, command=VLLM))
    found = [
        each["message"]
        for each in result["services"][0]["problems"]
        if each["rule"] == "engine-arguments"
    ]
    assert (told in " ".join(found)) if told else not found
