# SPDX-License-Identifier: GPL-3.0-or-later
"""Each right that may be missing when fit is judged: the verdict without it, and the note."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.capacity.check import judge
from module_utils.capacity.source import GivenManifests
from module_utils.cluster.errors import Forbidden
from module_utils.kube.manifest import Json
from tests.objects import thing
from tests.unit.accelerators.build import GPU, deployment, node

API = "resource.k8s.io/v1"
CLASS = thing(API, "DeviceClass", "gpus", spec={"extendedResourceName": GPU})
SLICE = {
    "apiVersion": API,
    "kind": "ResourceSlice",
    "metadata": {"name": "a"},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "a",
        "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"gpu-{number}"} for number in range(8)],
    },
}


class Hidden(GivenManifests):
    """Objects of which one kind may not be listed."""

    def __init__(self, manifests: list[Json], kind: str) -> None:
        super().__init__(manifests)
        self._hidden = kind

    def each(
        self, api_version: str, kind: str, namespace: str = "", name: str = ""
    ) -> Iterator[Json]:
        if kind == self._hidden:
            raise Forbidden(status=403, reason="Forbidden", message="", verb="list", subject=kind)
        yield from super().each(api_version, kind, namespace, name)


@pytest.mark.parametrize(
    ("kind", "verdict", "note"),
    [
        ("Node", "uncertain", "on nodes is not allowed"),
        ("Pod", "uncertain", "on pods in all namespaces is not allowed"),
        ("ResourceQuota", "fits", "on resourcequotas in namespace team-a is not allowed"),
        ("LimitRange", "fits", "on limitranges in namespace team-a is not allowed"),
        (
            "HorizontalPodAutoscaler",
            "fits",
            "on horizontalpodautoscalers.autoscaling in namespace team-a is not allowed",
        ),
        ("DeviceClass", "fits", "on deviceclasses.resource.k8s.io is not allowed"),
        ("RuntimeClass", "fits", "on runtimeclasses.node.k8s.io is not allowed"),
        ("LocalQueue", "fits", "on localqueues.kueue.x-k8s.io in namespace team-a is not allowed"),
        ("NodePool", "fits", ""),
    ],
)
def test_missing_right_is_a_note(kind: str, verdict: str, note: str) -> None:
    workload = deployment(8)
    workload["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    workload["spec"]["template"]["spec"]["runtimeClassName"] = "nvidia"
    judged = judge(Hidden([node("a")], kind), [workload])
    assert judged.answers[0].verdict.value == verdict
    assert note in " ".join(each.message for each in judged.notes)
    assert len(judged.notes) == bool(note)


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        ("", "fits"),
        ("ResourceSlice", "uncertain"),
        ("ResourceClaim", "uncertain"),
        ("DeviceClass", "uncertain"),
    ],
)
def test_what_drivers_publish_is_uncertain_where_it_is_hidden(kind: str, verdict: str) -> None:
    judged = judge(Hidden([node("a", 0), CLASS, SLICE], kind), [deployment(8)])
    assert judged.answers[0].verdict.value == verdict
    assert len(judged.notes) == bool(kind)


KUEUE = "kueue.x-k8s.io/v1beta1"
QUOTAS = [
    {"name": "cpu", "nominalQuota": "64"},
    {"name": "memory", "nominalQuota": "1Ti"},
    {"name": "nvidia.com/gpu", "nominalQuota": "0"},
]
QUEUES = [
    {
        "apiVersion": KUEUE,
        "kind": "LocalQueue",
        "metadata": {"name": "team", "namespace": "team-a"},
        "spec": {"clusterQueue": "gpus"},
    },
    {
        "apiVersion": KUEUE,
        "kind": "ClusterQueue",
        "metadata": {"name": "gpus"},
        "spec": {
            "cohort": "all",
            "namespaceSelector": {},
            "resourceGroups": [
                {
                    "coveredResources": ["cpu", "memory", "nvidia.com/gpu"],
                    "flavors": [{"name": "h100", "resources": QUOTAS}],
                }
            ],
        },
    },
]


class Whole(GivenManifests):
    """Objects that are all that there is."""

    complete = True


def test_cohort_that_may_not_be_listed_may_lend() -> None:
    workload = deployment(8)
    workload["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    hidden = judge(Hidden([node("a"), *QUEUES], "Cohort"), [workload])
    told = next(each for each in hidden.problems[0] if "admits no more" in each.message)
    assert (told.severity, "what a Cohort has of its own is not known" in told.message) == (
        "warning",
        True,
    )
    assert "cohorts.kueue.x-k8s.io is not allowed" in " ".join(
        each.message for each in hidden.notes
    )
    seen = judge(Whole([node("a"), *QUEUES]), [workload])
    told = next(each for each in seen.problems[0] if "admits no more" in each.message)
    assert told.severity == "error"
    assert "at most 0 with all that cohort all ever lends" in told.message
