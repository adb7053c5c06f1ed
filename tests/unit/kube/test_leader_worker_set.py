# SPDX-License-Identifier: GPL-3.0-or-later
"""What the status of a LeaderWorkerSet is worth, and whose pods tell why a group does not start. Statuses are those that v0.7.0 writes."""

from __future__ import annotations

import pytest

from module_utils.kube.leader_worker_set import (
    SET_LABEL,
    TEMPLATE_LABEL,
    as_of_before,
    unchanged_since,
)
from module_utils.kube.manifest import Json
from module_utils.kube.pod_health import workload_of
from module_utils.kube.rollout import as_observed, read_rollout
from module_utils.kube.topology import state

AVAILABLE = {"type": "Available", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
PROGRESSING = {"type": "Progressing", "status": "True"}


def groups(
    status: Json, image: str = "a", replicas: int = 1, generation: int = 1, cpu: str = "1"
) -> Json:
    container = {"name": "main", "image": image, "resources": {"limits": {"cpu": cpu}}}
    template = {"workerTemplate": {"spec": {"containers": [container]}}}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "chat", "namespace": "team-a", "generation": generation},
        "spec": {"replicas": replicas, "leaderWorkerTemplate": template},
        "status": status,
    }


def counted(ready: int, updated: int, total: int, *conditions: Json) -> Json:
    return {
        "readyReplicas": ready,
        "updatedReplicas": updated,
        "replicas": total,
        "conditions": list(conditions),
    }


DONE = counted(1, 1, 1, AVAILABLE)


@pytest.mark.parametrize(
    ("live", "complete"),
    [
        (groups({}), False),
        (groups(counted(0, 1, 1, PROGRESSING)), False),
        (groups(DONE), True),
        (groups(DONE, generation=7), True),
        (groups(DONE, replicas=2), False),
        (groups(counted(1, 0, 1, AVAILABLE)), False),
        (groups({**DONE, "observedGeneration": 1}, generation=2), False),
        (groups({**DONE, "observedGeneration": 2}, generation=2), True),
    ],
)
def test_groups_are_complete_by_their_counters(live: Json, complete: bool) -> None:
    assert read_rollout(live, ()).complete is complete
    assert (state(live).word == "ready") is complete


@pytest.mark.parametrize(
    ("after", "complete"),
    [
        (groups(DONE, generation=2), True),
        (groups(DONE, image="b", generation=2), False),
        (groups(DONE, cpu="1000m", generation=2), True),
        (groups(DONE, cpu="2", generation=2), False),
        (groups(counted(0, 0, 0, AVAILABLE), image="b", replicas=0, generation=2), True),
    ],
)
def test_right_after_an_update_a_status_speaks_of_the_template_before(
    after: Json, complete: bool
) -> None:
    assert read_rollout(as_observed(groups(DONE), after), ()).complete is complete


def test_a_status_counts_again_as_soon_as_the_manager_has_written_another() -> None:
    left = as_of_before(groups(DONE), groups(DONE, image="b", generation=2))
    same = groups(DONE, image="b", generation=2)
    assert not read_rollout(unchanged_since(left, same), ()).complete
    later = {**AVAILABLE, "lastTransitionTime": "2026-01-01T00:00:09Z"}
    done = groups(counted(1, 1, 1, later), image="b", generation=2)
    assert read_rollout(unchanged_since(left, done), ()).complete


def pod(name: str, revision: str, made: str, reason: str = "") -> Json:
    waiting = {"waiting": {"reason": reason, "message": "why"}} if reason else {}
    return {
        "metadata": {
            "name": name,
            "namespace": "team-a",
            "creationTimestamp": made,
            "labels": {SET_LABEL: "chat", TEMPLATE_LABEL: revision},
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": name, "controller": True}
            ],
        },
        "status": {"phase": "Pending", "containerStatuses": [{"name": "main", "state": waiting}]},
    }


def test_a_pod_belongs_to_its_set_of_groups_whatever_stands_between() -> None:
    assert str(workload_of(pod("chat-0-1", "r1", ""))) == "LeaderWorkerSet team-a/chat"


def test_a_worker_that_cannot_start_is_the_fault_of_its_set() -> None:
    live = groups(counted(0, 1, 1, PROGRESSING, {**AVAILABLE, "status": "False"}))
    pods = [pod("chat-0", "r1", "1"), pod("chat-0-1", "r1", "2", "ImagePullBackOff")]
    fault = read_rollout(live, pods).fault
    assert fault
    assert fault.message.startswith("LeaderWorkerSet chat, pod chat-0-1, container main: ImagePull")


def test_pods_of_the_template_before_are_no_fault_of_the_present_one() -> None:
    live = groups(counted(0, 1, 1, PROGRESSING))
    pods = [pod("chat-0-1", "r1", "1", "ImagePullBackOff"), pod("chat-0", "r2", "2")]
    assert read_rollout(live, pods).fault is None


def test_groups_that_are_available_and_thus_not_progressing_are_no_fault() -> None:
    live = groups(counted(1, 0, 1, AVAILABLE, {**PROGRESSING, "status": "False"}))
    assert read_rollout(live, ()).fault is None


@pytest.mark.parametrize(
    ("ready", "complete"),
    [
        ((), True),
        (("chat-0", "chat-0-1"), True),
        (("chat-0",), False),
    ],
)
def test_a_group_is_ready_with_all_of_its_pods_where_they_are_seen(
    ready: tuple[str, ...], complete: bool
) -> None:
    live = groups(DONE)
    live["spec"]["leaderWorkerTemplate"]["size"] = 2
    seen = [pod(name, "r1", "1") for name in ("chat-0", "chat-0-1")] if ready else []
    for each in seen:
        each["metadata"]["labels"]["leaderworkerset.sigs.k8s.io/group-index"] = "0"
        said = "True" if each["metadata"]["name"] in ready else "False"
        each["status"]["conditions"] = [{"type": "Ready", "status": said}]
    assert read_rollout(live, seen).complete is complete
