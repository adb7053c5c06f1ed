# SPDX-License-Identifier: GPL-3.0-or-later
"""Where no cluster is looked at, the objects given in its place say which release of KServe it has."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.crd import crd
from module_utils.kinds.llm_inference_service.releases import BACKING
from module_utils.kube.release import newest_proved
from module_utils.modules import gpu_resources
from tests.unit.modules.task import result_of, run

Json = dict[str, Any]
NEWEST = str(newest_proved(BACKING))
SERVICE = {
    "apiVersion": "serving.kserve.io/v1alpha2",
    "kind": "LLMInferenceService",
    "metadata": {"name": "chat", "namespace": "team-a"},
    "spec": {
        "model": {"uri": "hf://acme/tiny", "name": "tiny"},
        "template": {"containers": [{"name": "main", "image": "registry.example.com/vllm:1"}]},
    },
}
CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "inferenceservice-config", "namespace": "kserve"},
    "data": {"router": '{"image": "kserve/router:v0.19.0"}'},
}


def controller(containers: Any, labels: Any = None) -> Json:
    """Return the Deployment of the controller of LLMInferenceServices."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "llmisvc-controller-manager",
            "namespace": "kserve",
            "labels": labels or {"control-plane": "llmisvc-controller-manager"},
        },
        "spec": {"template": {"spec": {"containers": containers}}},
    }


def definition(release: KServe, labels: Json | None = None) -> Json:
    """Return the CRD of a release."""
    found = crd(release)
    return {**found, "metadata": {**found["metadata"], "labels": labels or {}}}


def release_of(*objects: Any, **options: Any) -> Json:
    """Return what a rendered service says of its release."""
    result = run(state="rendered", services=[SERVICE], cluster_objects=list(objects), **options)
    assert not result.get("failed"), result["msg"]
    found: Json = result["services"][0]["release"]
    return found


RUNS_19 = controller([{"name": "manager", "image": "kserve/llmisvc-controller:v0.19.0"}])


@pytest.mark.parametrize(
    ("objects", "version", "seen"),
    [
        ([RUNS_19], "0.19", "kserve/llmisvc-controller:v0.19.0"),
        ([CONFIG], "0.19", "kserve/router:v0.19.0"),
        ([definition(KServe.V0_18, {"app.kubernetes.io/version": "v0.18.0"})], "0.18", "v0.18.0"),
        # What runs is nearer to the truth than what was written beside it.
        ([CONFIG, controller([{"image": "llmisvc-controller:v0.17.0"}])], "0.17", "v0.17.0"),
    ],
)
def test_a_rendered_service_has_the_release_whose_controller_is_given(
    objects: list[Json], version: str, seen: str
) -> None:
    found = release_of(*objects)
    assert (found["version"], found["source"]) == (version, "controller")
    assert seen in found["reason"]


def test_a_definition_without_a_version_keeps_releases_out_whose_status_it_does_not_declare() -> (
    None
):
    found = release_of(definition(KServe.V0_17))
    assert (found["version"], found["source"]) == ("0.17", "newest")


@pytest.mark.parametrize(
    "silent",
    [
        None,
        {
            **CONFIG,
            "data": {"router": '{"image": "kserve/router:latest"}'},
        },
        {**CONFIG, "metadata": {"name": "inferenceservice-config", "namespace": "elsewhere"}},
        controller([{"image": "kserve/llmisvc-controller@sha256:0123"}]),
        controller([{"image": "kserve/llmisvc-controller:v0.17.0"}], {"control-plane": "other"}),
    ],
)
def test_what_names_no_release_leaves_the_newest_proved_one(silent: Json | None) -> None:
    found = release_of(*([silent] if silent else []))
    assert (found["version"], found["source"]) == (NEWEST, "newest")
    assert "no given object names one" in found["reason"]


def test_the_option_says_more_than_what_is_given() -> None:
    assert release_of(RUNS_19, releases={"kserve": "0.17"})["source"] == "option"


def test_a_given_release_that_is_not_reproduced_is_named() -> None:
    given = controller([{"image": "kserve/llmisvc-controller:v0.99.0"}])
    result = run(state="rendered", services=[SERVICE], cluster_objects=[given])
    assert any("0.99" in each and "releases.kserve" in each for each in result["warnings"])


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        ({**CONFIG, "data": ["router"]}, "data"),
        (controller("manager"), "spec.template.spec.containers"),
        (controller([{"image": 5}]), "spec.template.spec.containers[0].image"),
        ({**RUNS_19, "metadata": {"name": "x", "labels": ["a"]}}, "metadata.labels"),
        ({**definition(KServe.V0_17), "spec": {"versions": ["v1alpha2"]}}, "spec.versions[0]"),
    ],
)
def test_a_broken_object_is_told_where_it_is_broken(broken: Json, field: str) -> None:
    result = run(state="rendered", services=[SERVICE], cluster_objects=[broken])
    assert result["failed"]
    assert f"{field}: " in result["msg"]


def test_devices_of_a_service_are_those_of_the_given_release() -> None:
    tracing = {**SERVICE, "spec": {**SERVICE["spec"], "tracing": {}}}
    options = {"state": "gathered", "services": [tracing], "cluster_objects": [RUNS_19]}
    result = result_of(gpu_resources, options)
    assert result["failed"]
    assert "spec.tracing" in result["msg"]
    assert "0.20" in result["msg"]
