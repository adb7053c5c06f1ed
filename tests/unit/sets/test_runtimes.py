# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtimes of a set are judged as KServe's webhook judges them: by themselves, beside each other, beside those of the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference
from module_utils.modules import applyset
from module_utils.sets.runtimes import refused_runtimes
from tests.unit.modules.task import result_of

SERVER: Json = {"name": "kserve-container", "image": "example.com/server:1"}


def runtime(name: str, priority: int | None = 1, *, namespace: str = "", **spec: Any) -> Json:
    """Return a runtime that is chosen for sklearn by itself."""
    supported: Json = {"name": "sklearn", "version": "1", "autoSelect": True}
    if priority is not None:
        supported["priority"] = priority
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ServingRuntime" if namespace else "ClusterServingRuntime",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "spec": {
            "supportedModelFormats": [supported],
            "protocolVersions": ["v1", "v2"],
            "containers": [SERVER],
            **spec,
        },
    }


def refused(
    wanted: Sequence[Json], there: Sequence[Json] = (), written: Sequence[str] | None = None
) -> Mapping[str, list[str]]:
    """Return what is wrong with each runtime: rules by name. written: all of them where it is left out."""
    references = {Reference.of(each) for each in wanted}
    asked = [each for each in references if written is None or each.name in written]
    listed = list(there)
    found = refused_runtimes(
        wanted, set(asked), lambda kind: [each for each in listed if each["kind"] == kind]
    )
    return {each.name: [problem.rule for problem in problems] for each, problems in found.items()}


def test_right_runtimes_beside_each_other_are_taken() -> None:
    assert refused([runtime("a", 1), runtime("b", 2), runtime("c", 1, namespace="x")]) == {}


@pytest.mark.parametrize(
    ("other", "clash"),
    [
        (runtime("b"), True),
        (runtime("b", 2), False),
        (runtime("b", None), False),
        (runtime("b", disabled=True), False),
        (runtime("b", multiModel=True), False),
        (runtime("b", protocolVersions=["grpc-v2"]), False),
        (runtime("b", namespace="x"), False),
        (
            runtime(
                "b",
                supportedModelFormats=[
                    {"name": "SKLearn", "version": "1", "autoSelect": True, "priority": 1}
                ],
            ),
            True,
        ),
        (
            runtime(
                "b",
                supportedModelFormats=[
                    {"name": "sklearn", "version": "2", "autoSelect": True, "priority": 1}
                ],
            ),
            False,
        ),
        (
            runtime(
                "b", supportedModelFormats=[{"name": "sklearn", "version": "1", "priority": 1}]
            ),
            False,
        ),
    ],
)
def test_one_priority_for_one_format_is_refused_once(other: Json, clash: bool) -> None:
    told = ["runtime-priority"] if clash else None
    assert refused([runtime("a"), other]).get("a") == told
    assert refused([runtime("a")], [other]).get("a") == told


def test_of_what_is_not_written_nothing_is_told() -> None:
    assert refused([runtime("a"), runtime("b")], written=["b"]).keys() == {"b"}


def test_a_runtime_is_held_against_what_the_set_makes_of_its_neighbours() -> None:
    assert refused([runtime("a", 1), runtime("b", 2)], [runtime("b", 1)]) == {}
    assert refused([runtime("a", 1)], [runtime("a", 1)]) == {}


def test_workers_cannot_be_taken_away() -> None:
    workers = {"containers": [{"name": "worker-container", "image": "example.com/server:1"}]}
    assert refused([runtime("a")], [runtime("a", workerSpec=workers)]) == {"a": ["runtime-workers"]}


@pytest.mark.parametrize(
    ("worker", "annotation", "told"),
    [
        ("worker-container", "", ["gpu-type"]),
        ("worker", "", []),
        ("worker-container", '["a.example/card"]', []),
        ("worker-container", "a.example/card", ["gpu-type"]),
        ("worker", "[1]", ["gpu-type"]),
    ],
)
def test_devices_are_gpus_where_the_runtime_says_so(
    worker: str, annotation: str, told: list[str]
) -> None:
    limits = {"limits": {"a.example/card": "1"}}
    workers = {
        "containers": [{"name": worker, "image": "example.com/server:1", "resources": limits}]
    }
    notes = {"serving.kserve.io/gpu-resource-types": annotation} if annotation else {}
    found = refused([runtime("a", workerSpec=workers, annotations=notes)])
    assert found.get("a", []) == told


def test_workers_have_one_container() -> None:
    assert refused([runtime("a", workerSpec={"containers": []})]) == {"a": ["runtime-workers"]}


def test_every_mistake_is_told_at_once() -> None:
    container = {"name": "worker-container", "image": "example.com/server:1"}
    workers = {"containers": [container, container], "tensorParallelSize": 0}
    server = {**SERVER, "env": [{"name": "PIPELINE_PARALLEL_SIZE", "value": "1"}]}
    broken = runtime("a", containers=[server], workerSpec=workers)
    assert refused([broken, runtime("b")])["a"] == ["runtime-priority", *["runtime-workers"] * 3]


@pytest.mark.parametrize(
    "spec",
    [
        [],
        "x",
        {"supportedModelFormats": "x"},
        {"containers": {}},
        {"workerSpec": []},
        {"multiModel": 1},
    ],
)
def test_a_runtime_of_another_shape_is_told_and_harms_no_other(spec: Any) -> None:
    broken = {**runtime("a"), "spec": spec}
    found = refused([broken, runtime("b")])
    assert found.keys() == {"a"}
    assert refused([runtime("b")], [broken]) == {}


def test_a_set_that_is_rendered_is_refused_with_every_problem() -> None:
    definition = [runtime("a"), runtime("b"), runtime("c", 5)]
    options = {"name": "runtimes", "state": "rendered", "definition": definition}
    result = result_of(applyset, options)
    assert result["failed"]
    for name in ("a", "b"):
        assert f"ClusterServingRuntime {name})" in result["msg"]
    assert "ClusterServingRuntime c)" not in result["msg"]
    assert "give one of them another priority" in result["msg"]
