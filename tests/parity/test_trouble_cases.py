# SPDX-License-Identifier: GPL-3.0-or-later
"""What went wrong for people who serve models ends as it should: an error that helps, or the right objects and a warning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.filter.names import FilterModule
from ansible_collections.modelops.inference.plugins.module_utils.modules import (
    applyset,
    epp_config,
    gpu_resources,
    llmisvc_reconcile,
)
from tests.unit.modules.task import result_of

from .matching import ABSENT, CASES, Seen, at, cases, every, faults, is_of_kind, load, mentions
from .recorded_inference_services import RECORDINGS
from .recorded_llm_services import RECORDINGS as LLM_RECORDINGS
from .recorded_llm_services import read_all

Json = dict[str, Any]
ALL = cases()
#: What KServe ships, as far as a case does not say that it is not there.
RUNTIMES = list(read_all(RECORDINGS / "context" / "clusterservingruntimes.yaml"))
PRESETS = [
    each
    for path in sorted((LLM_RECORDINGS / "context").glob("*-preset-*.yaml"))
    for each in read_all(path)
]
OFFLINE = sorted(name for name, expected in ALL.items() if expected["run"]["needs"] == "nothing")
FILES = ("src", "cluster_objects")
ENTRIES: dict[str, Any] = {
    "applyset": applyset,
    "epp_config": epp_config,
    "gpu_resources": gpu_resources,
    "llmisvc_reconcile": llmisvc_reconcile,
}


def run(folder: Path, how: Json) -> Seen:
    if "filter" in how:
        apply = FilterModule().filters()[how["filter"]]
        return Seen(False, result=[apply(item) for item in load(folder / how["over"])])
    if "steps" in how:
        *earlier, last = how["steps"]
        for step in earlier:
            assert list(faults({"outcome": "ok", **step}, run(folder, step))) == []
        return run(folder, last)
    given: list[str] = how["args"].get("cluster_objects", [])
    shipped = _shipped(folder, how)
    arguments = {**how["args"], **({"cluster_objects": [*shipped, *given]} if shipped else {})}
    return Seen.of(call(ENTRIES[how["plugin"]], folder, arguments))


def _shipped(folder: Path, how: Json) -> list[Json]:
    """Return what KServe ships beside what a case gives: a case with runtimes of its own has no others."""
    given = [
        each for name in how["args"].get("cluster_objects", []) for each in every(folder / name)
    ]
    if is_of_kind(folder.name, "LLMInferenceService"):
        own = {(each["kind"], each["metadata"]["name"]) for each in given}
        return [each for each in PRESETS if (each["kind"], each["metadata"]["name"]) not in own]
    kserve = is_of_kind(folder.name, "InferenceService")
    own_runtimes = any(each["kind"].endswith("ServingRuntime") for each in given)
    return RUNTIMES if kserve and not own_runtimes and how.get("assume") is None else []


def call(entry: Any, folder: Path, arguments: Json) -> Json:
    options = {
        name: _in(folder, value) if name in FILES else value for name, value in arguments.items()
    }
    if "workloads" in options:
        options["workloads"] = [
            each
            for given in options["workloads"]
            for each in (every(folder / given) if isinstance(given, str) else [given])
        ]
    return result_of(entry, options)


def _in(folder: Path, given: str | list[Any]) -> Any:
    """Return file names as paths; manifests stay."""
    if isinstance(given, list):
        return [_in(folder, each) for each in given]
    return str(folder / given) if isinstance(given, str) else given


@pytest.mark.parametrize("name", OFFLINE)
def test_case_ends_as_it_should(name: str) -> None:
    expected = ALL[name]
    assert list(faults(expected, run(CASES / name, expected["run"]))) == []


def test_sanitising_twice_changes_nothing() -> None:
    to_dns_label = FilterModule().filters()["to_dns_label"]
    once = [to_dns_label(item) for item in load(CASES / "nm-slash-and-capitals" / "input.yaml")]
    assert [to_dns_label(item) for item in once] == once


def test_default_of_shared_memory_is_a_setting() -> None:
    """The case's note: with the setting the warning is gone and the volume is there."""
    result = call(
        llmisvc_reconcile,
        CASES / "ms-tensor-without-shm",
        {"state": "rendered", "src": ["input.yaml"], "settings": {"shared_memory": True}},
    )
    assert "/dev/shm" not in str(result["warnings"])
    decode = next(each for each in result["manifests"] if each["metadata"]["name"] == "chat-decode")
    pod = decode["spec"]["template"]["spec"]
    mount = at(pod, ["containers", {"name": "vllm"}, "volumeMounts", {"mountPath": "/dev/shm"}])
    assert mount is not ABSENT
    assert at(pod, ["volumes", {"name": mount["name"]}, "emptyDir", "medium"]) == "Memory"


EXPECTED = {"outcome": "ok", "must_mention": [], "must_have": []}
FOUND = Seen(False, result={"services": []}, manifests=[{"kind": "X", "metadata": {"name": "a"}}])


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"outcome": "error"}, "outcome"),
        ({"must_mention": ["tensor"]}, "not mentioned"),
        ({"must_not_mention": ["services"]}, "mentioned"),
        ({"must_have": [{"kind": "X", "name": "b", "present": True}]}, "does not hold"),
        ({"must_have": [{"kind": "X", "path": ["spec"], "equals": 1}]}, "does not hold"),
        ({"must_have": [{"in": "result", "path": ["services"], "count": 1}]}, "does not hold"),
    ],
)
def test_wrong_outcome_is_noticed(wrong: Json, fault: str) -> None:
    assert [line.partition(":")[0] for line in faults({**EXPECTED, **wrong}, FOUND)] == [fault]


def test_number_is_mentioned_only_where_it_stands_alone() -> None:
    assert mentions("tensor 4 of 2", "2")
    assert not any(mentions(said, "2") for said in ("v2", "20", "1.25", "2.5"))


def test_every_case_is_run() -> None:
    assert OFFLINE
    # Those about installing are run in tests/cluster/test_applyset_cases.py.
    installing = {name for name in ALL if name.startswith("in-")}
    on_a_cluster = {
        "an-wait-image-pull",
        "is-hpa-to-keda",
        "li-queue-label-moves",
        "li-scheduler-removed-condition",
    }
    assert ALL.keys() - OFFLINE - installing == on_a_cluster
