# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_resources without a cluster: what to ask for, and judging against manifests that are given."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.accelerators.build import GPU

from .gpu_task import NVIDIA, refused, rendered

Json = dict[str, Any]


def test_what_a_container_and_its_pod_say() -> None:
    found = rendered(
        accelerator={**NVIDIA, "product": "NVIDIA-L4"}, parallelism={"tensor": 2, "data": 2}
    )
    assert found["resources"] == {"limits": {GPU: "4"}, "requests": {GPU: "4"}}
    assert found["node_selector"] == {"nvidia.com/gpu.product": "NVIDIA-L4"}
    assert found["tolerations"] == [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}]
    assert {each["name"]: each["value"] for each in found["env"]} == {
        "TP_SIZE": "2",
        "DP_SIZE": "2",
        "DP_SIZE_LOCAL": "2",
    }
    assert found["changed"] is False
    assert found["stats"]["requests"] == 0


def test_slices_tolerate_the_taint_of_whole_devices() -> None:
    found = rendered(accelerator={**NVIDIA, "profile": "1g.10gb"})
    assert found["resources"]["limits"] == {"nvidia.com/mig-1g.10gb": "1"}
    assert found["tolerations"][0]["key"] == GPU


def test_cpu_asks_for_no_device() -> None:
    found = rendered(accelerator={"type": "cpu"})
    assert (found["resources"], found["tolerations"]) == ({}, [])


def test_device_claim() -> None:
    found = rendered(
        accelerator={**NVIDIA, "device_class": "gpu.nvidia.com"}, parallelism={"tensor": 8}
    )
    assert found["resources"] == {"claims": [{"name": "accelerators"}]}
    (template,) = found["claim_templates"]
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {
        "deviceClassName": "gpu.nvidia.com",
        "allocationMode": "ExactCount",
        "count": 8,
    }
    assert found["resource_claims"][0]["resourceClaimTemplateName"] == template["metadata"]["name"]


def test_cores_of_a_device_are_ranks() -> None:
    found = rendered(
        accelerator={"type": "google", "ranks_per_device": 2}, parallelism={"tensor": 8}
    )
    assert found["resources"]["limits"] == {"google.com/tpu": "4"}


def test_slice_of_tpus_needs_both_selectors_and_is_taken_as_a_whole() -> None:
    tpu = {"type": "google", "product": "tpu-v6e-slice", "topology": "2x4"}
    whole = rendered(accelerator=tpu, parallelism={"tensor": 8})
    assert whole["node_selector"] == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "2x4",
    }
    assert not whole.get("warnings")
    part = rendered(accelerator=tpu, parallelism={"tensor": 4})
    assert "has 8 chips, and a replica asks for 4" in part["warnings"][0]
    bare = rendered(accelerator={"type": "google"}, parallelism={"tensor": 8})
    assert "need both node selectors" in bare["warnings"][0]


def test_count_of_the_user_wins_and_is_warned_about() -> None:
    found = rendered(accelerator=NVIDIA, parallelism={"tensor": 4}, devices=2)
    assert found["resources"]["limits"] == {GPU: "2"}
    assert "2 devices are requested, but tensor 4" in found["warnings"][0]


MODEL = {"parameters": "8.03B", "layers": 32, "kv_heads": 8, "head_dim": 128, "context": 32768}


def test_memory_says_what_it_rests_on() -> None:
    found = rendered(accelerator={**NVIDIA, "memory": 80}, model=MODEL)
    figures = {each["name"]: each for each in found["memory"]}
    assert figures["weights"]["value"] == 14.96
    assert figures["concurrency"]["value"] == 13.76
    assert all(each["basis"] for each in found["memory"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs an accelerator"),
        ({"accelerator": {"type": "nvida"}}, '"nvida" is not one of nvidia'),
        ({"accelerator": NVIDIA, "devices": 0}, "0 is not a number of devices"),
        ({"accelerator": NVIDIA, "devices": -1}, "-1 is not a number of devices"),
        ({"accelerator": NVIDIA, "parallelism": {"tensor": 0}}, "parallelism.tensor: 0"),
        (
            {"accelerator": {**NVIDIA, "shared": True}, "parallelism": {"tensor": 2}},
            "may be slices of one device",
        ),
        ({"accelerator": {**NVIDIA, "product": "x", "type": "aws-neuron"}}, "no product label"),
        ({"accelerator": {**NVIDIA, "devices_per_node": 0}}, "devices_per_node: 0"),
        ({"accelerator": {**NVIDIA, "topology": "2x4"}}, "is not a slice of TPUs"),
        ({"accelerator": {"type": "google", "topology": "2by4"}}, "is not a slice of TPUs"),
        ({"accelerator": {**NVIDIA, "profile": "1g.10gb", "shared": True}}, "do not go together"),
        (
            {"accelerator": {**NVIDIA, "profile": "1g.10gb", "device_class": "x"}},
            "with a device class the class decides",
        ),
        (
            {"accelerator": {**NVIDIA, "profile": "half"}},
            'accelerator.profile: profile "half" is not a MIG profile',
        ),
        ({"accelerator": {"type": "nvidia.com/"}}, "nvidia.com/"),
        ({"accelerator": {"type": "requests.nvidia.com/gpu"}}, "nor begin with requests."),
        ({"accelerator": {"type": "cpu", "shared": True}}, "cpu has neither profiles"),
        (
            {"accelerator": NVIDIA, "parallelism": {"data": 4, "data_local": 3}},
            "3 does not divide data, 4",
        ),
        ({"accelerator": NVIDIA, "model": {**MODEL, "precision": "fp7"}}, '"fp7" is not one of'),
        (
            {
                "accelerator": NVIDIA,
                "parallelism": {"tensor": 3},
                "model": {**MODEL, "attention_heads": 32},
            },
            "3 does not divide the model's 32 attention heads",
        ),
        ({"accelerator": NVIDIA, "model": {"parameters": "big"}}, '"big" is not a number'),
        ({"accelerator": NVIDIA, "model": MODEL, "utilization": 1.5}, "utilization: 1.5"),
        ({"state": "present", "accelerator": NVIDIA}, "needs a workload"),
        (
            {
                "state": "present",
                "accelerator": NVIDIA,
                "workload": {"kind": "ModelService", "name": "x", "namespace": "y"},
            },
            "role: missing; one of decode, prefill",
        ),
        (
            {"state": "present", "workload": {"kind": "Pod", "name": "x", "namespace": "y"}},
            '"Pod" is not one of Deployment, StatefulSet, LeaderWorkerSet, ModelService',
        ),
        (
            {"state": "present", "workload": {"kind": "Deployment", "name": "x"}},
            "namespace: missing",
        ),
    ],
)
def test_bad_input_is_a_clear_error(options: Json, said: str) -> None:
    assert said in refused(**options)


def test_all_problems_are_named_at_once() -> None:
    said = refused(
        accelerator={"type": "nvida", "devices_per_node": 0},
        parallelism={"tensor": 0, "data": -1},
        model={"parameters": "big"},
    )
    assert "gpu_resources: 5 problems" in said
