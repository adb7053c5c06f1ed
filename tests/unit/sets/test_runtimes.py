# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtimes of a set are judged as KServe's webhook judges them: by themselves, beside each other, beside those of the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from module_utils.kinds.inference_service.judged_objects import judged_objects
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.kserve.releases import KServe
from module_utils.kube.manifest import Json
from module_utils.kube.planned_objects import PlannedObjects
from module_utils.kube.reader import GivenObjects
from module_utils.modules import applyset
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
    wanted: Sequence[Json],
    there: Sequence[Json] = (),
    written: Sequence[str] | None = None,
    release: KServe = KServe.V0_17,
) -> Mapping[str, list[str]]:
    """Return what is wrong with each runtime: rules by name. written: all of them where it is left out."""
    cluster = GivenObjects(there)
    asked = [each for each in wanted if written is None or each["metadata"]["name"] in written]
    around = PlannedObjects(cluster, wanted)
    found = judged_objects(asked, around, cluster, Settings(release))
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


def test_priorities_of_one_format_differ_where_there_is_any_runtime() -> None:
    formats = [{"name": "x", "autoSelect": True, "priority": number} for number in (1, 2)]
    torn = runtime("a", supportedModelFormats=formats)
    assert refused([torn]) == {}
    for there in (runtime("a"), runtime("a", disabled=True), runtime("b", 7)):
        assert refused([torn], [there]) == {"a": ["runtime-priority"]}


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


@pytest.mark.parametrize("place", ["containers", "workerSpec"])
@pytest.mark.parametrize("release", list(KServe))
def test_a_variable_that_decides_which_code_runs_is_refused_since_0_18(
    release: KServe, place: str
) -> None:
    spoilt = {"name": "worker", "image": "example.com/server:1", "env": [{"name": "PYTHONPATH"}]}
    spec: Json = {"containers": [SERVER], "workerSpec": {"containers": [SERVER]}}
    spec = (
        {"containers": [spoilt]}
        if place == "containers"
        else {**spec, place: spec | {"containers": [spoilt]}}
    )
    told = refused([runtime("a", **spec)], release=release)
    assert told == ({} if release == KServe.V0_17 else {"a": ["refused-variable"]})


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


@pytest.mark.parametrize(
    ("version", "refused"), [("v0.17.0", False), ("v0.20.0", True), ("", True)]
)
def test_the_release_of_the_set_decides_what_is_refused(version: str, refused: bool) -> None:
    server = {**SERVER, "env": [{"name": "PYTHONPATH", "value": "/a"}]}
    definition = [runtime("a", containers=[server]), *([controller(version)] if version else [])]
    options = {"name": "runtimes", "state": "rendered", "definition": definition}
    result = result_of(applyset, options)
    assert bool(result.get("failed")) is refused
    assert ("PYTHONPATH may not be set" in result.get("msg", "")) is refused


def controller(version: str) -> Json:
    """Return the Deployment of KServe's controller."""
    labels = {"control-plane": "kserve-controller-manager"}
    server = {"name": "manager", "image": f"kserve/kserve-controller:{version}"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [server]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "kserve-controller-manager", "namespace": "kserve", "labels": labels},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
