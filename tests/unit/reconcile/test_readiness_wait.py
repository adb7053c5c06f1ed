# SPDX-License-Identifier: GPL-3.0-or-later
"""A wait ends with the last service that is ready or has a fault that lasts; what it tells is true and short."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.cluster.errors import (
    ClusterError,
    KindMissing,
)
from ansible_collections.modelops.inference.plugins.module_utils.cluster.listing import Listing
from ansible_collections.modelops.inference.plugins.module_utils.engine.lasting import (
    FAULT_LASTS_S,
    LASTS_S,
)
from ansible_collections.modelops.inference.plugins.module_utils.engine.policy import Policy
from ansible_collections.modelops.inference.plugins.module_utils.fleet.cluster_reader import (
    ClusterReader,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.fault import WorkloadFault
from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import GivenObjects
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.compiled_service import (
    compiled_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.controller_mode import (
    CONTROLLER,
    DIRECT,
)
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.fault_confirmation import (
    FaultConfirmation,
)
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.readiness_wait import (
    ReadinessWait,
)
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.run import Run
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.service_progress import (
    NO_GATEWAY,
)
from tests.unit.kinds.model_service.build import document
from tests.unit.kinds.model_service.live import (
    ACCEPTED,
    deployment,
    live,
    pod,
    pool,
    route,
    said,
    waiting,
)

from ..modules.task import loaded

Json = dict[str, Any]
GATEWAY = Reference("gateway.networking.k8s.io/v1", "Gateway", "infra", "edge")
POD = Reference("v1", "Pod", "team-a", "chat-decode-a-x")
NO_GPU = said("PodScheduled", "False", "Unschedulable", "0/4 nodes: Insufficient nvidia.com/gpu")
PULL = "ImagePullBackOff"
ROUTE = {"gatewayRef": {"name": "edge", "namespace": "infra"}}


class _Cluster:
    """Has one gateway or none, and events or an error where they are asked for. asked: how often it was looked at."""

    def __init__(
        self, *events: str, gateway: bool = False, error: ClusterError | None = None
    ) -> None:
        self._events = events
        self._gateway = gateway
        self._error = error
        self.asked = 0

    def get(self, _reference: Reference, **_options: Any) -> Json | None:
        self._look()
        return {} if self._gateway else None

    def list(self, *_kind: str, **_options: Any) -> Listing:
        self._look()
        return Listing([{"reason": reason} for reason in self._events], "1")

    def _look(self) -> None:
        self.asked += 1
        if self._error:
            raise self._error


class _Waited:
    """A wait for services whose clock stands still until it is told."""

    def __init__(
        self,
        *names: str,
        known: tuple[Json, ...] = (),
        cluster: _Cluster | None = None,
        wait_for: str = "ready",
        reconciler: str = DIRECT,
    ) -> None:
        self.now = 0.0
        self.lines: list[str] = []
        services, _none = loaded(*(document(name, httpRoute=ROUTE) for name in names or ("chat",)))
        targets = [
            compiled_service(each, each.compile(GivenObjects()), "default", reconciler)
            for each in services
        ]
        run = Run(
            cast("Any", cluster or _Cluster()),
            Policy(),
            releases=cast("Any", None),
            reconciler=DIRECT,
            skip_invalid=False,
            fit="ignore",
            wait_for=wait_for,
            clock=cast("Any", self),
            progress=self.lines.append,
        )
        self.wait = ReadinessWait(
            run,
            targets,
            live(*known),
            others=ClusterReader(run.cluster),
            looked_at={},
            another=lambda dummy: None,
        )

    def monotonic(self) -> float:
        """Return the time that the test says it is."""
        return self.now

    def see(self, *objects: Json) -> bool:
        """Show objects and return whether the wait is over."""
        for item in objects:
            self.wait.see(Reference.of(item), item)
        return self.wait.content()

    def after(self, seconds: float) -> bool:
        """Let time pass and return whether the wait is over."""
        self.now += seconds
        return self.wait.content()

    @property
    def verdict(self) -> WorkloadFault | None:
        return self.wait.services[0].verdict


def _around(name: str = "chat", *conditions: Json) -> list[Json]:
    return [
        deployment(f"{name}-epp", 1, 1),
        {**pool(), "metadata": {**pool()["metadata"], "name": name}},
        route(*(conditions or (ACCEPTED,)), name=name),
    ]


def _pod(of: str = "chat-decode", uid: str = "1", **status: Any) -> Json:
    made = pod(of, **status)
    made["metadata"] |= {
        "uid": uid,
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{of}-a", "controller": True}
        ],
    }
    return made


def _broken(reason: str) -> Json:
    return _pod(containerStatuses=waiting(reason, "why"))


def test_wait_is_over_when_the_last_service_is_ready() -> None:
    waited = _Waited("chat", "other")
    assert not waited.see(*_around(), *_around("other"), deployment("chat-decode", 1, 1))
    assert waited.see(deployment("other-decode", 1, 1))
    assert waited.lines[-1] == "team-a/other: decode 1/1, ready (0 s)"


def test_line_is_told_once() -> None:
    waited = _Waited()
    for dummy in range(3):
        waited.see(*_around(), deployment("chat-decode"))
    assert len(waited.lines) == 1


def test_fault_ends_the_wait_only_when_it_lasts() -> None:
    waited = _Waited()
    assert not waited.see(*_around(), deployment("chat-decode"), _broken(PULL))
    assert not waited.after(FAULT_LASTS_S - 1)
    assert waited.after(1)
    assert waited.verdict
    assert (waited.verdict.reason, waited.verdict.subject) == (PULL, POD)


def test_fault_that_passes_starts_anew() -> None:
    waited = _Waited()
    waited.see(*_around(), deployment("chat-decode"), _broken(PULL))
    waited.after(FAULT_LASTS_S - 1)
    waited.see(_pod())
    assert not waited.see(_broken(PULL))
    assert not waited.after(FAULT_LASTS_S - 1)


def test_pull_that_fails_and_the_pause_after_it_are_one_fault() -> None:
    waited = _Waited()
    waited.see(*_around(), deployment("chat-decode"), _broken("ErrImagePull"))
    waited.after(FAULT_LASTS_S - 1)
    assert not waited.see(_broken("ImagePullBackOff"))
    assert waited.after(1)


def test_service_that_recovers_before_the_others_end_is_no_failure() -> None:
    waited = _Waited("chat", "other")
    waited.see(*_around(), *_around("other"), deployment("chat-decode"), _broken(PULL))
    assert not waited.after(FAULT_LASTS_S)
    assert waited.verdict
    assert not waited.see(deployment("chat-decode", 1, 1))
    assert not waited.verdict


def test_pods_of_other_workloads_do_not_count() -> None:
    waited = _Waited()
    waited.see(*_around(), deployment("chat-decode"))
    stranger = _pod("stranger", containerStatuses=waiting(PULL))
    bare = pod("chat-decode", containerStatuses=waiting(PULL))
    assert not waited.see(stranger, bare)
    assert not waited.after(FAULT_LASTS_S)


def test_pod_that_is_gone_says_nothing_more() -> None:
    waited = _Waited()
    broken = _broken(PULL)
    waited.see(*_around(), deployment("chat-decode"), broken)
    waited.wait.see(Reference.of(broken), None)
    assert not waited.after(FAULT_LASTS_S)


# Statements of a time before our write.


@pytest.mark.parametrize(("generation", "over"), [(1, False), (2, True), (3, True)])
def test_view_from_before_our_write_makes_nothing_ready(generation: int, over: bool) -> None:
    """The server answered our write with generation 2; a cache on the way may still show 1, ready as it was."""

    def decode(number: int) -> Json:
        made = deployment("chat-decode", 1, 1, seen=number)
        made["metadata"] |= {"uid": "1", "generation": number}
        return made

    waited = _Waited(known=(decode(2),))
    assert waited.see(*_around(), decode(generation)) is over


def test_object_that_was_made_anew_speaks_for_itself() -> None:
    known, again = deployment("chat-decode", 1, 1), deployment("chat-decode", 1, 1)
    known["metadata"] |= {"uid": "1", "generation": 7}
    again["metadata"] |= {"uid": "2", "generation": 1}
    assert _Waited(known=(known,)).see(*_around(), again)


# What others take away.


def test_object_that_somebody_deletes_ends_the_wait() -> None:
    known = deployment("chat-decode")
    waited = _Waited(known=(known,))
    assert not waited.see(*_around(), known)
    waited.wait.see(Reference.of(known), None)
    assert not waited.after(0)
    assert waited.after(FAULT_LASTS_S)
    assert waited.verdict
    assert waited.verdict.message.startswith("Deployment team-a/chat-decode is gone")


def test_service_that_is_being_deleted_ends_the_wait() -> None:
    parent = document()
    waited = _Waited(known=(parent,), reconciler=CONTROLLER)
    assert not waited.see({**parent, "metadata": {**parent["metadata"], "deletionTimestamp": "x"}})
    assert waited.after(FAULT_LASTS_S)
    assert waited.verdict
    assert "is being deleted" in waited.verdict.message


# Second looks.


@pytest.mark.parametrize(
    ("cluster", "over"),
    [
        (_Cluster(), True),
        (_Cluster("FailedScheduling", "NotTriggerScaleUp"), True),
        (_Cluster("FailedScheduling", "TriggeredScaleUp"), False),
        (_Cluster("Nominated"), False),
        (_Cluster(error=ClusterError("not allowed")), False),
    ],
)
def test_pod_without_a_node_is_waited_for_where_an_autoscaler_helps(
    cluster: _Cluster, over: bool
) -> None:
    waited = _Waited(cluster=cluster)
    assert not waited.see(*_around(), deployment("chat-decode"), _pod(conditions=[NO_GPU]))
    assert not waited.after(LASTS_S["Unschedulable"] - 1)
    assert cluster.asked == 0
    assert waited.after(1) is over
    waited.after(100)
    assert cluster.asked == 1, "one look is enough"


@pytest.mark.parametrize(
    ("cluster", "over"),
    [
        (_Cluster(gateway=False), True),
        (_Cluster(error=KindMissing("gateway.networking.k8s.io/v1", "Gateway")), True),
        (_Cluster(gateway=True), False),
        (_Cluster(error=ClusterError("not allowed")), False),
    ],
)
def test_route_whose_gateway_is_not_there_ends_the_wait(cluster: _Cluster, over: bool) -> None:
    unseen = route()
    unseen["spec"] = {"parentRefs": [{"name": "edge", "namespace": "infra"}]}
    waited = _Waited(cluster=cluster)
    assert not waited.see(*_around()[:2], unseen, deployment("chat-decode", 1, 1))
    assert waited.after(FAULT_LASTS_S) is over
    if over:
        assert waited.verdict == WorkloadFault(NO_GATEWAY, f"{GATEWAY} does not exist", GATEWAY)


def test_missing_gateway_does_not_end_a_wait_for_the_workloads() -> None:
    unseen = route()
    unseen["spec"] = {"parentRefs": [{"name": "edge", "namespace": "infra"}]}
    waited = _Waited(cluster=_Cluster(gateway=False), wait_for="DecodeReady")
    assert not waited.see(*_around()[:2], unseen, deployment("chat-decode", 1, 0))
    assert not waited.after(FAULT_LASTS_S + 100)
    assert waited.see(deployment("chat-decode", 1, 1))


def test_other_faults_need_no_second_look() -> None:
    cluster = _Cluster()
    fault = WorkloadFault("CrashLoopBackOff", "", POD)
    assert FaultConfirmation(cast("Any", cluster)).confirmed([fault]) is fault
    assert cluster.asked == 0


# What is waited for, and by whom it is told.


def test_condition_that_the_service_does_not_have_ends_the_wait() -> None:
    waited = _Waited(wait_for="DecodReady")
    assert not waited.see(*_around(), deployment("chat-decode", 1, 1))
    assert waited.after(FAULT_LASTS_S)
    assert waited.verdict
    assert "DecodReady" in waited.verdict.message
    assert 'did you mean "DecodeReady"?' in waited.verdict.message


def test_controller_s_silence_about_a_broken_pod_does_not_count() -> None:
    waited = _Waited(reconciler=CONTROLLER)
    labels = {
        "app.kubernetes.io/name": "chat",
        "app.kubernetes.io/part-of": "otterscale-system",
        "app.kubernetes.io/managed-by": "model-operator",
    }
    broken = _broken("CrashLoopBackOff")
    services = waited.wait.services
    (decode, *_others) = (
        child.manifest("")
        for child in services[0].target.children
        if child.reference.name == "chat-decode" and child.reference.kind == "Deployment"
    )
    broken["metadata"]["labels"] |= labels | decode["spec"]["selector"]["matchLabels"]
    assert not waited.see(document(), broken)
    assert waited.after(FAULT_LASTS_S)
    assert waited.verdict
    assert waited.verdict.message.startswith("Deployment chat-decode, pod chat-decode-a-x")


def test_long_silence_is_broken_by_a_line() -> None:
    waited = _Waited("a", "b", "c", "d", "e")
    waited.see(*_around("e"), deployment("e-decode", 1, 1))
    waited.lines.clear()
    for dummy in range(100):
        waited.after(1)
    assert waited.lines == [
        "1 of 5 services are finished after 60 s; waiting for team-a/a, team-a/b, team-a/c and 1 more"
    ]


def test_only_services_of_which_something_changed_are_looked_at() -> None:
    waited = _Waited("chat", "other")
    waited.see(*_around(), *_around("other"), deployment("chat-decode"))
    before = [service.observation for service in waited.wait.services]
    waited.see(deployment("other-decode"))
    after = [service.observation for service in waited.wait.services]
    assert after[0] is before[0]
    assert after[1] is not before[1]
