# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Node profiles: what part 3 will count on."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.lab import nodes
from tests.lab.errors import LabError


def _schedulable(resource: str) -> int:
    """Devices on nodes that take pods without a toleration."""
    return sum(
        int(node["status"]["allocatable"].get(resource, 0))
        for node in nodes.profile("gpu")
        if not node["spec"].get("unschedulable") and not node["spec"]["taints"]
    )


def test_gpu_fleet_has_the_promised_devices() -> None:
    assert _schedulable("nvidia.com/gpu") == 32
    assert _schedulable("amd.com/gpu") == 16
    assert _schedulable("habana.ai/gaudi") == 16


def test_one_nvidia_node_is_cordoned_and_one_tainted() -> None:
    named = {node["metadata"]["name"]: node for node in nodes.profile("gpu")}
    assert named["nvidia-cordoned-0"]["spec"]["unschedulable"] is True
    assert named["nvidia-tainted-0"]["spec"]["taints"][0]["key"] == "nvidia.com/gpu"


def test_tpu_nodes_name_accelerator_and_topology() -> None:
    tpus = [node for node in nodes.profile("gpu") if "google.com/tpu" in node["status"]["capacity"]]
    assert tpus
    for node in tpus:
        assert node["metadata"]["labels"]["cloud.google.com/gke-tpu-accelerator"]
        assert node["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"]


@pytest.mark.parametrize("profile", list(nodes.PROFILES))
def test_names_are_unique_and_kwok_plays_every_node(profile: str) -> None:
    manifests = nodes.profile(profile)
    counts = Counter(node["metadata"]["name"] for node in manifests)
    assert all(count == 1 for count in counts.values())
    assert all(
        node["metadata"]["annotations"]["kwok.x-k8s.io/node"] == "fake" for node in manifests
    )


def test_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(LabError, match=r"gpus.*none, cpu, gpu"):
        nodes.profile("gpus")


@pytest.mark.parametrize(
    ("taints", "ready", "expected"),
    [
        ([], "True", True),
        ([], "False", False),
        ([{"key": "node.kubernetes.io/not-ready"}], "True", False),
        ([{"key": "nvidia.com/gpu"}], "True", True),
    ],
)
def test_ready_needs_condition_and_no_leftover_taint(
    taints: list[dict[str, str]], ready: str, expected: bool
) -> None:
    node: dict[str, Any] = {
        "spec": {"taints": taints},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }
    assert nodes.is_ready(node) is expected
    assert nodes.is_ready(None) is False
