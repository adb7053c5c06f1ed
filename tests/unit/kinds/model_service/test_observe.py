# SPDX-License-Identifier: GPL-3.0-or-later
"""The status tells the truth: per role, per rollout, and it fails where waiting does not help."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kind import Observation
from module_utils.kinds.model_service.observe import observe, reconcile_error

from .build import service
from .live import ACCEPTED, deployment, live, pod, pool, route, said, waiting

CHAT = service()
SPLIT = service(prefill={}, routingProxy={"secureProxy": False})
PICKER = deployment("chat-epp", 1, 1)
AROUND = (PICKER, pool(), route(ACCEPTED))
DEADLINE = {
    "type": "Progressing",
    "status": "False",
    "reason": "ProgressDeadlineExceeded",
    "message": "timed out",
}
QUOTA = {
    "type": "ReplicaFailure",
    "status": "True",
    "reason": "FailedCreate",
    "message": "exceeded quota: gpus",
}
NO_GPU = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "0/4 nodes: Insufficient nvidia.com/gpu",
}


def condition(seen: Observation, kind: str = "Ready") -> tuple[str, str, str]:
    (found,) = [item for item in seen.status["conditions"] if item["type"] == kind]
    return found["status"], found["reason"], found["message"]


def counters(seen: Observation) -> dict[str, Any]:
    return {key: value for key, value in seen.status.items() if key not in ("conditions", "phase")}


# decode (desired, ready), prefill likewise or None where there is no Deployment → phase, reason, message
COUNTED = {
    "starting": ((1, 0), "", "Running", "PodsStarting", "Waiting for serving pods to become ready"),
    "half": ((2, 1), "", "Running", "PartiallyReady", "1/2 replicas ready"),
    "ready": ((2, 2), "", "Ready", "AllReplicasReady", "All 2 replicas are ready"),
    "zero": ((0, 0), "", "Ready", "AllReplicasReady", "All 0 replicas are ready"),
    "surge": ((3, 4), "", "Ready", "AllReplicasReady", "All 4 replicas are ready"),
    "both starting": ((1, 0), (4, 0), "Running", "PodsStarting", "Waiting for serving pods to become ready"),
    "one role behind": ((1, 1), (4, 3), "Running", "PartiallyReady", "4/5 replicas ready"),
    "both ready": ((1, 1), (4, 4), "Ready", "AllReplicasReady", "All 5 replicas are ready"),
    "surplus of the other role": ((2, 0), (2, 4), "Running", "PartiallyReady", "2/4 replicas ready"),
    "prefill absent": ((1, 1), None, "Pending", "DeploymentNotFound", "Prefill Deployment has not been created yet"),
    "decode absent": (None, "", "Pending", "DeploymentNotFound", "Decode Deployment has not been created yet"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("decode", "prefill", "phase", "reason", "message"), COUNTED.values(), ids=COUNTED
)
def test_counters_give_the_phase(
    decode: Any, prefill: Any, phase: str, reason: str, message: str
) -> None:
    objects = [deployment("chat-decode", *decode)] if decode else []
    objects += [deployment("chat-prefill", *prefill)] if prefill else []
    seen = observe(CHAT if prefill == "" else SPLIT, live(*objects, *AROUND), [])
    assert seen.status["phase"] == phase
    assert condition(seen) == ("True" if phase == "Ready" else "False", reason, message)
    # Ready pods that are to end, as in a surge, make the status Ready as the operator's, but no wait is over with them.
    settled = all(ready <= wanted for wanted, ready in filter(None, (decode, prefill or None)))
    assert seen.ready is (phase == "Ready" and settled)
    assert not seen.faults


def test_zero_counters_are_written() -> None:
    seen = observe(CHAT, live(deployment("chat-decode", 0, 0), *AROUND), [])
    assert counters(seen) == {"decodeReady": 0, "decodeReplicas": 0}
    assert condition(seen, "DecodeReady")[:2] == ("False", "ScaledToZero")
    assert [problem.rule for problem in seen.problems] == ["scaled-to-zero"]


def test_generation_is_that_of_the_custom_resource() -> None:
    parent = {**CHAT.document, "metadata": {**CHAT.document["metadata"], "generation": 7}}
    seen = observe(CHAT, live(parent, deployment("chat-decode", 1, 1), *AROUND), [])
    assert seen.status["observedGeneration"] == 7
    assert {item["observedGeneration"] for item in seen.status["conditions"]} == {7}


ROLLING = {
    "not yet seen": {"seen": 0},
    "one updated": {"updated": 1, "total": 4},
    "old ones still end": {"updated": 3, "total": 4},
}


@pytest.mark.parametrize("counts", ROLLING.values(), ids=ROLLING)
def test_old_pods_do_not_make_a_rollout_ready(counts: dict[str, Any]) -> None:
    seen = observe(CHAT, live(deployment("chat-decode", 3, 3, **counts), *AROUND), [])
    assert seen.status["phase"] == "Running"
    assert condition(seen)[1] == "RolloutInProgress"
    assert not seen.ready


BROKEN: dict[str, tuple[dict[str, Any], str, str]] = {
    "first pull": ({"containerStatuses": waiting("ErrImagePull", "manifest unknown")}, "ErrImagePull", "manifest unknown"),
    "no image": ({"containerStatuses": waiting("ImagePullBackOff", 'Back-off pulling image "x:1"')}, "ImagePullBackOff", "x:1"),
    "crash": ({"containerStatuses": waiting("CrashLoopBackOff", "back-off 5m0s")}, "CrashLoopBackOff", "back-off"),
    "no secret": (
        {"initContainerStatuses": waiting("CreateContainerConfigError", 'secret "pull" not found', "model-unpack")},
        "CreateContainerConfigError", "model-unpack"),
    "no node": ({"conditions": [NO_GPU]}, "Unschedulable", "Insufficient nvidia.com/gpu"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "reason", "text"), BROKEN.values(), ids=BROKEN)
def test_broken_pod_fails_the_service_in_its_own_words(
    status: dict[str, Any], reason: str, text: str
) -> None:
    seen = observe(CHAT, live(deployment("chat-decode"), *AROUND), [pod("chat-decode", **status)])
    assert seen.faults
    assert seen.status["phase"] == "Failed"
    found = condition(seen)
    assert found[:2] == ("False", reason)
    assert all(part in found[2] for part in ("chat-decode", reason, text))


@pytest.mark.parametrize(
    ("stopped", "reason"), [(DEADLINE, "ProgressDeadlineExceeded"), (QUOTA, "FailedCreate")]
)
def test_stopped_deployment_fails_the_service(stopped: dict[str, Any], reason: str) -> None:
    seen = observe(CHAT, live(deployment("chat-decode", conditions=[stopped]), *AROUND), [])
    assert seen.status["phase"] == "Failed"
    assert condition(seen)[1] == reason
    assert stopped["message"] in condition(seen)[2]


def test_pod_for_which_others_have_to_go_has_its_place() -> None:
    pods = [pod("chat-decode", conditions=[NO_GPU], nominatedNodeName="node-1")]
    seen = observe(CHAT, live(deployment("chat-decode"), *AROUND), pods)
    assert (seen.faults, seen.status["phase"]) == ((), "Running")


def test_words_of_a_container_that_ended_are_passed_on() -> None:
    ended = {"reason": "OOMKilled", "exitCode": 137, "message": "no memory left"}
    (status,) = waiting("CrashLoopBackOff", "back-off 5m0s")
    pods = [pod("chat-decode", containerStatuses=[{**status, "lastState": {"terminated": ended}}])]
    text = condition(observe(CHAT, live(deployment("chat-decode"), *AROUND), pods))[2]
    for word in ("no memory left", "OOMKilled", "137"):
        assert word in text


def test_paused_deployment_fails_the_rollout_that_it_holds_up() -> None:
    paused = deployment("chat-decode", 2, 2, updated=0, total=2)
    paused["spec"]["paused"] = True
    assert condition(observe(CHAT, live(paused, *AROUND), []))[1] == "DeploymentPaused"
    paused["status"] |= {"updatedReplicas": 2}
    assert observe(CHAT, live(paused, *AROUND), []).ready


def test_pods_of_the_old_template_do_not_fail_the_rollout_that_mends_them() -> None:
    old = pod("chat-decode", containerStatuses=waiting("CrashLoopBackOff"))
    new = pod("chat-decode", template="b", created="2026-01-02T00:00:00Z")
    assert not observe(CHAT, live(deployment("chat-decode"), *AROUND), [old, new]).faults
    unseen = live(deployment("chat-decode", seen=0, conditions=[DEADLINE]), *AROUND)
    assert not observe(CHAT, unseen, [old]).faults


def test_complete_role_is_not_failed_by_a_pod_that_is_too_many() -> None:
    pods = [pod("chat-decode", conditions=[NO_GPU])]
    assert observe(CHAT, live(deployment("chat-decode", 1, 1), *AROUND), pods).ready


# picker counters → status and reason of PickerReady
PICKERS = {
    "one": ((1, 1), "True", "PickerAnswers"),
    "leader of three": ((3, 1), "True", "PickerAnswers"),
    "none yet": ((1, 0), "False", "PodsStarting"),
    "switched off": ((0, 0), "False", "ScaledToZero"),
    "absent": (None, "False", "DeploymentNotFound"),
}


@pytest.mark.parametrize(("counts", "status", "reason"), PICKERS.values(), ids=PICKERS)
def test_service_needs_its_picker(counts: Any, status: str, reason: str) -> None:
    pickers = [deployment("chat-epp", *counts)] if counts else []
    seen = observe(
        CHAT, live(deployment("chat-decode", 1, 1), pool(), route(ACCEPTED), *pickers), []
    )
    assert condition(seen, "PickerReady")[:2] == (status, reason)
    assert seen.ready is (status == "True")
    assert condition(seen)[0] == "True"


def test_switched_off_picker_serves_only_where_the_gateway_goes_on_without_it() -> None:
    objects = live(
        deployment("chat-decode", 1, 1), deployment("chat-epp", 0, 0), pool(), route(ACCEPTED)
    )
    for mode, ready in (("FailOpen", True), ("FailClose", False)):
        asked = service(inferencePool={"endpointPicker": {"replicas": 0, "failureMode": mode}})
        seen = observe(asked, objects, [])
        assert (seen.ready, bool(seen.faults)) == (ready, not ready)


def test_dotted_name_finds_its_picker() -> None:
    asked = service("phi-3.5")
    objects = live(deployment("phi-3.5-decode", 1, 1), deployment("phi-3-5-epp", 1, 1))
    assert condition(observe(asked, objects, []), "PickerReady")[0] == "True"


ROUTES = {
    "accepted": ([ACCEPTED], "True", "Accepted", False),
    "nobody looked": ([], "Unknown", "Pending", False),
    "not admitted": ([said("Accepted", "False", "NotAllowedByListeners", "no")], "False", "NotAllowedByListeners", True),
    "no backend yet": ([ACCEPTED, said("ResolvedRefs", "False", "BackendNotFound")], "False", "BackendNotFound", True),
    "listener not ready": ([said("Accepted", "False", "NoReadyListeners")], "False", "NoReadyListeners", False),
    "of an older generation": ([said("Accepted", "False", "NotAllowedByListeners", generation=1)], "Unknown", "Pending", False),
}  # fmt: skip


@pytest.mark.parametrize(("conditions", "status", "reason", "failed"), ROUTES.values(), ids=ROUTES)
def test_service_needs_its_route(
    conditions: list[Any], status: str, reason: str, failed: bool
) -> None:
    generation = 2 if reason == "Pending" and conditions else 1
    objects = live(
        deployment("chat-decode", 1, 1), PICKER, pool(), route(*conditions, generation=generation)
    )
    seen = observe(CHAT, objects, [])
    assert condition(seen, "RouteAccepted")[:2] == (status, reason)
    assert (seen.ready, bool(seen.faults)) == (status == "True", failed)
    assert seen.status["phase"] == "Ready"


def test_every_gateway_that_a_route_names_has_to_accept_it() -> None:
    half = route(ACCEPTED)
    half["spec"] = {"parentRefs": [{"name": "edge", "namespace": "infra"}, {"name": "inner"}]}
    seen = observe(CHAT, live(deployment("chat-decode", 1, 1), PICKER, pool(), half), [])
    assert not seen.ready
    assert [str(gateway) for gateway in seen.awaited["RouteAccepted"]] == ["Gateway team-a/inner"]
    assert "Gateway team-a/inner" in condition(seen, "RouteAccepted")[2]


def test_refused_pool_is_not_ready() -> None:
    refused = pool(said("Accepted", "False", "HTTPRouteNotAccepted"))
    seen = observe(
        CHAT, live(deployment("chat-decode", 1, 1), PICKER, refused, route(ACCEPTED)), []
    )
    assert condition(seen, "PoolAccepted")[1] == "HTTPRouteNotAccepted"
    assert not seen.ready


def test_service_without_a_route_needs_none() -> None:
    seen = observe(CHAT, live(deployment("chat-decode", 1, 1), PICKER, pool()), [])
    assert seen.ready
    assert "RouteAccepted" not in {item["type"] for item in seen.status["conditions"]}


def test_error_keeps_counters_and_takes_ready_away() -> None:
    seen = observe(CHAT, live(deployment("chat-decode", 2, 2), *AROUND), [])
    failed = reconcile_error(seen, "creating Service chat-epp: 50%d of 100%")
    assert condition(failed) == (
        "False",
        "ReconcileError",
        "creating Service chat-epp: 50%d of 100%",
    )
    assert counters(failed) == {"decodeReady": 2, "decodeReplicas": 2}
    assert (failed.status["phase"], failed.ready, bool(failed.faults)) == ("Running", False, True)


def test_conditions_are_sorted_by_type() -> None:
    kinds = [item["type"] for item in observe(SPLIT, live(*AROUND), []).status["conditions"]]
    assert kinds == sorted(kinds)
