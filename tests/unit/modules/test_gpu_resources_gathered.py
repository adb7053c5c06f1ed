# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_resources without a cluster: judging workloads and services against manifests that are given."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.modelops.inference.plugins.module_utils.modules import gpu_resources
from tests.objects import thing
from tests.unit.accelerators.build import GPU, container, deployment, node, pod
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document

from .gpu_task import NVIDIA, run

Json = dict[str, Any]


def gathered(*workloads: Json, cluster: list[Json], **options: Any) -> Json:
    return run(state="gathered", services=list(workloads), cluster_objects=cluster, **options)


def test_workload_that_fits_is_reported_with_its_numbers() -> None:
    found = gathered(deployment(8, 2), cluster=[node("a"), node("b"), pod("other", 0, "a")])
    assert not found.get("failed")
    (entry,) = found["fit"]["workloads"]
    assert found["fit"]["fits"] is True
    assert (entry["needed"], entry["free"], entry["largest_block"]) == ("16", "16", "8")
    assert entry["placed_on"] == {"a": 1, "b": 1}


def test_workload_that_does_not_fit_fails_with_its_numbers() -> None:
    found = gathered(deployment(8, 2), cluster=[node("a"), node("b", 7)])
    assert found["failed"]
    assert "room for only 1 of 2 pods" in found["msg"]
    assert found["capacity"][0]["free"] == 15
    assert not gathered(deployment(8), cluster=[node("b", 7)], checks=["quota"]).get("failed")


def test_pods_of_a_service_are_judged() -> None:
    service = document("chat", accelerator={"type": "nvidia"}, decode={"replicas": 3})
    found = gathered(service, cluster=[node("a", 2)])
    assert found["failed"]
    assert "ModelService team-a/chat" in found["msg"]
    assert "there is room for only 2 of 3 pods of 1 nvidia.com/gpu" in found["msg"]


@pytest.mark.parametrize(
    ("resources", "said"),
    [
        ({"limits": {GPU: "0.5"}}, "0.5 is not a whole number"),
        ({"limits": {GPU: "-1"}}, "negative"),
        ({"limits": {GPU: "many"}}, "many"),
        ({"requests": {GPU: "1"}}, "needs a limit"),
        ({"limits": {GPU: "1", "nvidia.com/mig-1g.5gb": "1"}}, "slices and whole devices"),
        ({"limits": {"nvidia.com/gpu.shared": "2"}}, "slices of one and the same device"),  # T8
    ],
)
def test_requests_that_cannot_work_are_refused(resources: Json, said: str) -> None:
    workload = deepcopy(deployment(1))
    workload["spec"]["template"]["spec"]["containers"] = [{**container(), "resources": resources}]
    found = gathered(workload, cluster=[node("a")])
    assert found["failed"]
    assert said in found["msg"]
    assert "Traceback" not in found["msg"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "Deployment"},
        {"kind": "Deployment", "metadata": "chat"},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": "x"},
        thing("apps/v1", "Job", "a", spec={"template": 1}),
        {"kind": "Service", "metadata": {"name": "a"}},
    ],
)
def test_what_is_no_workload_is_a_clear_error(wrong: Json) -> None:
    found = gathered(wrong, cluster=[node("a")])
    assert found["failed"]
    assert "Traceback" not in found["msg"]


def test_quota_and_limit_range_are_checked() -> None:
    quota = thing("v1", "ResourceQuota", "gpus", "team-a", spec={"hard": {f"requests.{GPU}": "1"}})
    found = gathered(deployment(2), cluster=[node("a"), quota])
    assert "allows 1 requests.nvidia.com/gpu; 0 are used and 2 are requested" in found["msg"]
    sizes = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "sizes", "namespace": "team-a"},
        "spec": {"limits": [{"type": "Container", "defaultRequest": {"memory": "2Ti"}}]},
    }
    found = gathered(deployment(2), cluster=[node("a"), sizes])
    assert "Short of 2Ti memory" in found["msg"]
    assert not gathered(deployment(2), cluster=[node("a"), sizes], checks=["fit"]).get("failed")


def test_capacity_by_pool() -> None:
    labels = {"node.kubernetes.io/instance-type": "p5", "nvidia.com/gpu.product": "H100"}
    nodes = [
        node("a", 7, capacity=8, labels=labels),
        node("b", labels=labels),
        node("c", labels=labels, unschedulable=True),
    ]
    found = gathered(cluster=[*nodes, pod("x", 5, "b"), pod("y", 2, phase="Pending")])
    assert found["capacity"] == [
        {
            "pool": "p5",
            "resource": GPU,
            "product": "H100",
            "nodes": 3,
            "devices": 23,
            "unhealthy": 1,
            "used": 5,
            "free": 10,
            "largest_block": 7,
            "unusable": 8,
        }
    ]
    assert found["waiting"] == [{"resource": GPU, "pods": 1, "devices": 2}]


def test_queue_of_kueue_is_checked_where_one_is_named() -> None:
    local = thing(
        "kueue.x-k8s.io/v1beta1", "LocalQueue", "team", "team-a", spec={"clusterQueue": "gone"}
    )
    workload = deployment(2)
    assert not gathered(workload, cluster=[node("a"), local]).get("failed")
    workload["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    assert "ClusterQueue gone" in gathered(workload, cluster=[node("a"), local])["msg"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"devices": "1.5"}, "devices"),
        ({"devices": 0.5}, "devices"),
        ({"parallelism": {"tensor": "four"}}, "tensor"),
        ({"parallelism": {"tensor": 2.5}}, "tensor"),
        ({"accelerator": {"type": "nvidia", "devices_per_node": "8.5"}}, "devices_per_node"),
    ],
)
def test_half_a_device_does_not_pass_the_options(options: Json, named: str) -> None:
    validated = ArgumentSpecValidator(dict(gpu_resources.ARGUMENT_SPEC)).validate(
        {"accelerator": NVIDIA, **options}
    )
    assert named in str(validated.error_messages)


def test_no_room_is_not_certain_where_nodes_may_be_added() -> None:
    pool = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "gpus"}}
    report = thing("v1", "ConfigMap", "cluster-autoscaler-status", "kube-system")
    for seen in (pool, report):
        found = gathered(deployment(8), cluster=[node("a", 4), seen])
        assert not found.get("failed")
        assert "the cluster may grow: it has an autoscaler of nodes" in str(found["warnings"])
    other = {**report, "metadata": {"name": "other", "namespace": "kube-system"}}
    assert gathered(deployment(8), cluster=[node("a", 4), other])["failed"]


def test_command_line_that_wants_other_devices_is_named() -> None:
    workload = deployment(1)
    server = workload["spec"]["template"]["spec"]["containers"][0]
    server["args"] = ["--tensor-parallel-size=2"]
    found = gathered(workload, cluster=[node("a")])
    assert found["failed"]
    assert "started with tensor 2 and gets 1 nvidia.com/gpu" in found["msg"]
    server["resources"]["limits"][GPU] = "4"
    found = gathered(workload, cluster=[node("a")])
    assert not found.get("failed")
    assert "of which it uses 2" in str(found["warnings"])


def test_slices_that_cannot_be_joined_are_warned_about() -> None:
    slices = deployment(2, resource="nvidia.com/mig-1g.10gb")
    found = gathered(slices, cluster=[node("a", resource="nvidia.com/mig-1g.10gb")])
    assert not found.get("failed")
    assert "2 of nvidia.com/mig-1g.10gb cannot reach each other's memory" in str(found["warnings"])


@pytest.mark.parametrize(
    "labels",
    [
        {"nvidia.com/gpu.replicas": "4"},
        {"nvidia.com/gpu.product": "NVIDIA-L4-SHARED"},
        {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"},
        {"nvidia.com/gpu.sharing-strategy": "time-slicing"},
        {"cloud.google.com/gke-gpu-sharing-strategy": "mps"},
    ],
)
def test_devices_that_nodes_share_out_under_the_whole_name_are_found(labels: Json) -> None:
    parts = node("a", labels=labels)
    found = gathered(deployment(2), cluster=[parts])
    assert found["failed"]
    assert "may be parts of one and the same device on a (" in found["msg"]
    assert not gathered(deployment(1), cluster=[parts]).get("failed")
    beside = gathered(deployment(2), cluster=[parts, node("b")])
    assert not beside.get("failed")
    assert "keep the pods away from there" in str(beside["warnings"])


def test_nodes_that_share_nothing_are_not_mentioned() -> None:
    whole = {"nvidia.com/gpu.replicas": "1", "nvidia.com/gpu.sharing-strategy": "none"}
    assert not gathered(deployment(2), cluster=[node("a", labels=whole)]).get("warnings")


def test_problems_of_workloads_and_services_are_named_together() -> None:
    workload = deployment(1)
    workload["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {GPU: "0.5"}}
    found = gathered(workload, document("chat", accelerator={"type": "nvida"}), cluster=[])
    assert "0.5 is not a whole number" in found["msg"]
    assert "nvida" in found["msg"]


def test_autoscaler_may_grow_it() -> None:
    autoscaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "chat", "namespace": "team-a"},
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "chat"}, "maxReplicas": 5},
    }
    found = gathered(deployment(2), cluster=[node("a"), autoscaler])
    assert "an autoscaler may grow it from 1 to 5 pods" in str(found["warnings"])


def without(manifest: Json, *path: str) -> Json:
    """Return a manifest without a field."""
    copied = deepcopy(manifest)
    place = copied
    for name in path[:-1]:
        place = place[name]
    del place[path[-1]]
    return copied


def with_amount(manifest: Json, field: str, amount: object) -> Json:
    """Return a node with another amount of devices."""
    return {**manifest, "status": {**manifest["status"], field: {GPU: amount}}}


@pytest.mark.parametrize(
    ("workload", "cluster", "said"),
    [
        (deployment(1), [with_amount(node("a"), "allocatable", "lots")], "Node a"),
        (
            deployment(1),
            [with_amount(node("a"), "allocatable", "lots")],
            '"lots" is not a quantity',
        ),
        (
            deployment(1),
            [{**node("a"), "spec": {"taints": [{"value": "x"}]}}],
            "spec.taints[0].key",
        ),
        (deployment(1), [node("a"), {**pod("p", 1, "a"), "spec": ["x"]}], "Pod p"),
        ({**deployment(1), "spec": ["x"]}, [node("a")], "spec"),
        (without(deployment(1), "apiVersion"), [node("a")], "apiVersion: missing"),
        (without(deployment(1), "spec", "template"), [node("a")], "spec.template: missing"),
        (
            {**deployment(1), "spec": {**deployment(1)["spec"], "replicas": "two"}},
            [node("a")],
            'spec.replicas: "two" is not an integer',
        ),
        (
            {
                **deployment(1),
                "spec": {
                    **deployment(1)["spec"],
                    "strategy": {"rollingUpdate": {"maxSurge": "a few"}},
                },
            },
            [node("a")],
            "maxSurge is neither a number",
        ),
    ],
)
def test_what_no_api_server_would_have_is_told_with_its_place(
    workload: Json, cluster: list[Json], said: str
) -> None:
    result = gathered(workload, cluster=cluster)
    assert result["failed"]
    assert said in result["msg"]


def test_replicas_that_are_null_are_one() -> None:
    workload = deployment(1)
    workload["spec"]["replicas"] = None
    (entry,) = gathered(workload, cluster=[node("a")])["fit"]["workloads"]
    assert entry["needed"] == "1"


def test_what_presets_ask_for_is_judged_too() -> None:
    """Of a service in groups that is split: sizes stand in the service, devices in a base of it."""
    pod = {"containers": [{"name": "main", "resources": {"limits": {GPU: "4"}}}]}
    base = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": "base", "namespace": "team-a"},
        "spec": {"template": pod, "worker": pod, "prefill": {"template": pod}},
    }
    service = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "chat", "namespace": "team-a"},
        "spec": {
            "model": {"uri": "hf://acme/chat"},
            "baseRefs": [{"name": "base"}],
            "parallelism": {"data": 2, "dataLocal": 1},
            "prefill": {"replicas": 1},
        },
    }
    nodes = [node("a"), node("b")]
    found = gathered(service, cluster=[*nodes, base])
    assert {each["name"] for each in found["fit"]["workloads"]} == {
        "chat-kserve-mn",
        "chat-kserve-prefill",
    }
    assert found["fit"]["fits"]
    assert not gathered(service, cluster=[base, *nodes[:1]])["fit"]["fits"]


@pytest.mark.parametrize(("release", "fault"), [("0.18", ""), ("0.1", "is not one of")])
def test_services_are_made_as_their_release_makes_them(release: str, fault: str) -> None:
    found = gathered(llm_inference_service(), cluster=[node("a")], releases={"kserve": release})
    assert fault in found.get("msg", "")
    assert bool(found.get("failed")) is bool(fault)


def test_a_rolling_update_without_a_spare_device_is_told() -> None:
    """The running pod holds the only device, and a new one is started before it is stopped."""
    workload = deployment(8)
    there = pod("chat-1", 8, "a")
    there["metadata"] |= {
        "namespace": workload["metadata"]["namespace"],
        "labels": workload["spec"]["template"]["metadata"]["labels"],
    }
    found = gathered(workload, cluster=[node("a"), there])
    assert any("the rollout would wait forever" in text for text in found["warnings"])
    spare = gathered(workload, cluster=[node("a"), node("b"), there])
    assert not any("the rollout would wait" in text for text in spare["warnings"])


def test_new_pods_that_take_the_last_device_leave_none_for_a_rolling_update() -> None:
    found = gathered(deployment(8), cluster=[node("a")])
    assert any("the rollout would wait forever" in text for text in found["warnings"])
    spare = gathered(deployment(8), cluster=[node("a"), node("b")])
    assert not any("the rollout would wait" in text for text in spare["warnings"])
    recreated = deployment(8)
    recreated["spec"]["strategy"] = {"type": "Recreate"}
    quiet = gathered(recreated, cluster=[node("a")])
    assert not any("the rollout would wait" in text for text in quiet["warnings"])


def test_names_in_a_workload_are_looked_up() -> None:
    workload = deployment(8)
    workload["spec"]["template"]["spec"]["priorityClassName"] = "high"
    low = thing("scheduling.k8s.io/v1", "PriorityClass", "low")
    found = gathered(workload, cluster=[node("a"), low])
    assert found["failed"]
    assert "PriorityClass high, which is not among the given objects" in found["msg"]
    assert not gathered(workload, cluster=[node("a")]).get("failed")
