# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether pods are placed: the verdict, and the numbers that say why."""

from __future__ import annotations

import pytest

from .build import GPU, PLENTY, Json, container, deployment, judge, node, pod, said

FITS, LACKS, UNCERTAIN = "fits", "does not fit", "uncertain"
HOST = "kubernetes.io/hostname"


def test_two_pods_of_eight_on_two_nodes_of_eight() -> None:
    assert said(deployment(8, 2), [node("a"), node("b")])[0] == FITS


def test_sixteen_free_in_blocks_of_four_hold_no_pod_of_eight() -> None:
    verdict, text = said(deployment(8), [node(name, 4) for name in "abcd"])
    assert verdict == LACKS
    assert "there is no room for 1 pod of 8 nvidia.com/gpu." in text
    assert "Free: 16 nvidia.com/gpu on 4 nodes, the largest block is 4, on a." in text


def test_one_device_is_missing_for_the_second_pod() -> None:
    verdict, text = said(deployment(8, 2), [node("a"), node("b", 7)])
    assert verdict == LACKS
    assert "there is room for only 1 of 2 pods of 8 nvidia.com/gpu" in text
    assert "Free: 15 nvidia.com/gpu" in text


def test_devices_on_a_cordoned_node_are_named_apart() -> None:
    verdict, text = said(deployment(8, 2), [node("a", unschedulable=True), node("b")])
    assert verdict == LACKS
    assert "Free: 8 nvidia.com/gpu on 1 node" in text
    assert "Passed over with 8 nvidia.com/gpu free: a (cordoned)." in text


def test_init_container_counts_where_it_is_larger() -> None:
    workload = deployment(1, initContainers=[container(4)])
    (answer,), dummy = judge([workload], [node("a")])
    assert answer.demand.requests[GPU] == 4


def test_sidecar_counts_beside_the_init_container_after_it() -> None:
    sidecar = container(1, restartPolicy="Always")
    workload = deployment(1, initContainers=[sidecar, container(1)])
    (answer,), dummy = judge([workload], [node("a")])
    assert answer.demand.requests[GPU] == 2


def test_unhealthy_device_is_not_free() -> None:
    verdict, text = said(deployment(1), [node("a", 7, capacity=8)], [pod("other", 7, "a")])
    assert verdict == LACKS
    assert "Free: 0 nvidia.com/gpu" in text
    assert "a has 8 nvidia.com/gpu in status.capacity and 7 in status.allocatable" in text


def test_devices_that_are_all_unhealthy_are_told_of_their_node() -> None:
    verdict, text = said(deployment(1), [node("a", 0, capacity=8)], [])
    assert verdict == LACKS
    assert "a has 8 nvidia.com/gpu in status.capacity and 0 in status.allocatable" in text


def test_pod_that_has_ended_holds_nothing() -> None:
    ended = pod("done", 8, "a", phase="Succeeded")
    assert said(deployment(8), [node("a")], [ended])[0] == FITS
    assert said(deployment(8), [node("a")], [pod("busy", 8, "a")])[0] == LACKS


def test_whole_device_is_not_found_where_nodes_have_slices() -> None:
    slices = node("a", 7, resource="nvidia.com/mig-1g.10gb")
    slices["status"]["allocatable"][GPU] = "0"
    verdict, text = said(deployment(1), [slices])
    assert verdict == LACKS
    assert "No node lists nvidia.com/gpu in status.allocatable." in text
    assert "Nodes offer nvidia.com/mig-1g.10gb: a 7." in text


def test_pod_that_is_being_deleted_still_holds_its_devices() -> None:
    leaving = pod("leaving", 8, "a")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert said(deployment(8), [node("a")], [leaving])[0] == LACKS


def test_pending_pods_are_demand_and_said() -> None:
    waiting = pod("waiting", 4, phase="Pending")
    verdict, text = said(deployment(8), [node("a")], [waiting])
    assert verdict == FITS
    assert "1 pod without a node requests 4 " in text


TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchExpressions": [{"key": "gpus", "operator": "Gt", "values": ["4"]}]},
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]},
            ]
        }
    }
}


@pytest.mark.parametrize(
    ("only_node", "spec", "verdict", "reason"),
    [
        (node("a", taints=[TAINT]), {}, LACKS, "taint nvidia.com/gpu=present:NoSchedule"),
        (
            node("a", taints=[TAINT]),
            {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]},
            FITS,
            "",
        ),
        (node("a", taints=[TAINT]), {"tolerations": [{"operator": "Exists"}]}, FITS, ""),
        (
            node("a", taints=[TAINT]),
            {"tolerations": [{"key": "nvidia.com/gpu", "value": "absent"}]},
            LACKS,
            "is not tolerated",
        ),
        (node("a", taints=[{**TAINT, "effect": "PreferNoSchedule"}]), {}, FITS, ""),
        (node("a", ready=False), {}, LACKS, "not ready"),
        (node("a", unschedulable=True), {"tolerations": [{"operator": "Exists"}]}, FITS, ""),
        (
            node("a", labels={"zone": "x"}),
            {"nodeSelector": {"zone": "y"}},
            LACKS,
            "node selector zone=y is not met (it is x)",
        ),
        (node("a"), {"nodeSelector": {"zone": "y"}}, LACKS, "it has no such label"),
        (node("a", labels={"gpus": "8"}), {"affinity": AFFINITY}, FITS, ""),
        (node("a", labels={"gpus": "4"}), {"affinity": AFFINITY}, LACKS, "(gpus, metadata.name)"),
        (node("b"), {"affinity": AFFINITY}, FITS, ""),
        (node("a"), {"nodeName": "z"}, LACKS, "nodeName is z"),
    ],
)
def test_nodes_are_passed_over_for_the_reasons_of_the_scheduler(
    only_node: Json, spec: Json, verdict: str, reason: str
) -> None:
    found, text = said(deployment(1, **spec), [only_node])
    assert found == verdict
    assert reason in text


def test_short_memory_beside_free_devices_is_named() -> None:
    workload = deployment(1, requests={"memory": "64Gi"})
    small = node("a", sizes={**PLENTY, "memory": "32Gi"})
    verdict, text = said(workload, [small])
    assert verdict == LACKS
    assert "Short of 64Gi memory: a has 32Gi left." in text


def test_node_without_room_for_another_pod_is_named() -> None:
    full = node("a", sizes={**PLENTY, "pods": "1"})
    verdict, text = said(deployment(1), [full], [pod("other", 0, "a")])
    assert verdict == LACKS
    assert "Short of 1 pods: a has 0 left." in text


def test_device_plugin_that_does_not_run_is_guessed_from_labels() -> None:
    bare = node("a", labels={"cloud.google.com/gke-accelerator": "nvidia-l4"})
    del bare["status"]["allocatable"][GPU]
    text = said(deployment(1), [bare])[1]
    assert "a (cloud.google.com/gke-accelerator=nvidia-l4)" in text
    assert "is the device plugin or the driver running there?" in text


def anti_affinity(**labels: str) -> Json:
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": HOST}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def test_pods_that_avoid_each_other_take_one_node_each() -> None:
    nodes = [node("a"), node("b")]
    assert said(deployment(1, 2, affinity=anti_affinity(app="chat")), nodes)[0] == FITS
    assert said(deployment(1, 3, affinity=anti_affinity(app="chat")), nodes)[0] == LACKS


def test_pod_that_avoids_ours_keeps_its_node() -> None:
    hermit = pod("hermit", 0, "a", affinity=anti_affinity(app="chat"))
    hermit["metadata"]["namespace"] = "team-a"
    verdict, text = said(deployment(1), [node("a")], [hermit])
    assert verdict == LACKS
    assert f"anti-affinity to a pod in the same {HOST}" in text


def test_port_of_the_node_that_is_taken() -> None:
    port = {"ports": [{"containerPort": 1, "hostPort": 80}]}
    workload = deployment(1, 2)
    workload["spec"]["template"]["spec"]["containers"][0] |= port
    busy = pod("busy", 0, "a")
    busy["spec"]["containers"][0] |= port
    assert said(workload, [node("a"), node("b")])[0] == FITS
    assert said(workload, [node("a"), node("b")], [busy])[0] == LACKS


def test_pods_of_a_workload_that_run_already_are_not_wanted_again() -> None:
    running = pod("chat", 8, "a")
    running["metadata"] |= {"namespace": "team-a"}
    (answer,), dummy = judge([deployment(8)], [node("a")], [running])
    assert (answer.wanted, answer.verdict.value) == (0, FITS)


def test_update_needs_room_for_its_surge() -> None:
    running = pod("chat", 8, "a")
    running["metadata"] |= {"namespace": "team-a"}
    (answer,), dummy = judge([deployment(8)], [node("a")], [running], changed=frozenset({0}))
    assert (answer.wanted, answer.verdict.value) == (1, LACKS)


@pytest.mark.parametrize(
    ("spec", "unjudged"),
    [
        (
            {
                "topologySpreadConstraints": [
                    {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "chat"}}}
                    for key in (HOST, "zone")
                ]
            },
            "several topology spread constraints",
        ),
        ({"volumes": [{"ephemeral": {}}]}, "persistent volumes"),
        ({"volumes": [{"persistentVolumeClaim": {"claimName": "x"}}]}, "persistent volumes"),
        ({"resourceClaims": [{"name": "gpu"}]}, "device claims"),
        ({"schedulerName": "volcano"}, "the scheduler volcano"),
        ({"schedulingGates": [{"name": "x"}]}, "scheduling gates"),
    ],
)
def test_what_is_not_judged_makes_the_answer_uncertain(spec: Json, unjudged: str) -> None:
    verdict, text = said(deployment(1, **spec), [node("a", labels={"zone": "a"})])
    assert verdict == UNCERTAIN
    assert unjudged in text


def test_pods_of_two_sizes_fit_where_no_order_can_spoil_it() -> None:
    nodes = [node("a"), node("b")]
    large, small = deployment(8, name="large"), deployment(1, name="small")
    answers, dummy = judge([large, small], [*nodes, node("c")])
    assert [answer.verdict.value for answer in answers] == [FITS, FITS]


def test_pods_of_two_sizes_are_uncertain_where_the_small_ones_can_be_in_the_way() -> None:
    large, small = deployment(4, name="large"), deployment(2, 2, name="small")
    answers, dummy = judge([small, large], [node("a", 4), node("b", 4)])
    assert [answer.verdict.value for answer in answers] == [FITS, UNCERTAIN]
    assert sum(answers[1].placed.values()) == 1, "the largest first, they do fit"


def test_workloads_that_ask_for_more_than_is_free_lack_together() -> None:
    answers, dummy = judge(
        [deployment(8, name="one"), deployment(8, name="two", requests={"cpu": "1"})], [node("a")]
    )
    assert sorted(answer.verdict.value for answer in answers) == [LACKS, UNCERTAIN]
