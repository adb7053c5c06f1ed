# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a service from its live children, where no recording shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kinds.inference_service.observe import observe, reconcile_error
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.inference_service.spec import InferenceService
from module_utils.kinds.kind import Observation
from module_utils.kube.manifest import Json
from module_utils.kube.pod_health import UNREAD
from module_utils.kube.reader import GivenObjects
from tests.objects import thing

from .world import NAME, NAMESPACE, config, model, runtime, takes

MODE = "serving.kserve.io/deploymentMode"
STOP = "serving.kserve.io/stop"
COMPLETE = {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}
INGRESS = config(ingress={"enableGatewayApi": False})
GATEWAY = config(ingress={"enableGatewayApi": True})


def deployment(*conditions: Json, generation: int = 1, observed: int = 1) -> Json:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat-predictor", "namespace": NAMESPACE, "generation": generation},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "isvc.chat-predictor"}}},
        "status": {
            "observedGeneration": observed,
            "replicas": 1,
            "readyReplicas": 1,
            "updatedReplicas": 1,
            "conditions": list(conditions),
        },
    }


def pod(**status: Any) -> Json:
    labels = {"app": "isvc.chat-predictor"}
    metadata = {"name": "p", "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": status}


def understood(predictor: Json, *live: Json, annotations: Json | None = None) -> Any:
    """Return what a service means, as its observation reads it."""
    annotations = {MODE: "Standard", **(annotations or {})}
    spec = {"predictor": predictor}
    metadata = {"name": NAME, "namespace": NAMESPACE, "annotations": annotations}
    document = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": metadata,
    }
    service = InferenceService(document, NAME, NAMESPACE, {}, annotations, spec)
    reader = GivenObjects([runtime("served", takes()), *live])
    return compile_service(service, Settings(), reader).basis


def observed(
    *live: Json, pods: Sequence[Json] = (), annotations: Json | None = None
) -> Observation:
    reader = GivenObjects([runtime("served", takes()), *live])
    return observe(understood(model(), *live, annotations=annotations), reader, pods)


def conditions(observation: Observation) -> dict[str, str]:
    return {one["type"]: one["status"] for one in observation.status["conditions"]}


def test_a_service_is_ready_with_its_deployment() -> None:
    found = observed(INGRESS, deployment(COMPLETE))
    assert found.ready
    assert found.url == "http://chat-team-a.example.com"
    assert conditions(found)["Ready"] == "True"


def test_ready_waits_for_pods_of_the_present_template() -> None:
    found = observed(INGRESS, deployment(COMPLETE, generation=2))
    assert conditions(found)["Ready"] == "True"
    assert not found.ready


def test_who_waits_for_a_stopped_service_is_told() -> None:
    found = observed(INGRESS, annotations={STOP: "true"})
    assert [fault.reason for fault in found.faults] == ["Stopped"]
    assert conditions(found)["Stopped"] == "True"
    assert not found.ready


def test_a_stopped_service_is_not_reached() -> None:
    closed = config(ingress={"enableGatewayApi": True, "disableIngressCreation": True})
    found = observed(closed, annotations={STOP: "true"})
    assert conditions(found)["IngressReady"] == "False"
    assert found.url == ""


def test_who_waits_for_a_stopped_component_is_told() -> None:
    service = understood({**model(), "annotations": {STOP: "true"}})
    found = observe(service, GivenObjects([]))
    assert [fault.message for fault in found.faults] == [
        "its predictor is stopped by an annotation"
    ]
    assert conditions(found)["Stopped"] == "False"
    assert not found.ready


def test_what_stops_a_rollout_is_a_fault() -> None:
    failing = {
        "type": "ReplicaFailure",
        "status": "True",
        "reason": "FailedCreate",
        "message": "quota",
    }
    live = deployment(failing)
    live["status"]["readyReplicas"] = 0
    assert [fault.reason for fault in observed(INGRESS, live).faults] == ["FailedCreate"]


def test_a_download_that_is_tried_again_is_loading() -> None:
    ended = {"terminated": {"reason": "Error", "exitCode": 1, "message": "no bucket"}}
    running = {"name": "storage-initializer", "state": {"running": {}}, "lastState": ended}
    found = observed(INGRESS, pods=(pod(initContainerStatuses=[running]),))
    assert found.status["modelStatus"]["states"]["targetModelState"] == "Loading"


def test_a_model_that_does_not_load_is_a_fault_in_its_own_words() -> None:
    ended = {"terminated": {"reason": "Error", "exitCode": 1, "message": "no bucket"}}
    found = observed(
        INGRESS,
        pods=(pod(initContainerStatuses=[{"name": "storage-initializer", "state": ended}]),),
    )
    assert [(fault.reason, fault.message) for fault in found.faults] == [
        ("ModelLoadFailed", "the model does not load: no bucket")
    ]


def test_a_pod_that_says_nothing_of_its_server_leaves_the_model_as_it_was() -> None:
    before = {"states": {"activeModelState": "", "targetModelState": "Pending"}}
    parent = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "status": {"modelStatus": {**before, "transitionStatus": "InProgress"}},
    }
    found = observed(INGRESS, parent, pods=(pod(phase="Pending"),))
    assert found.status["modelStatus"] == {
        **before,
        "copies": {"failedCopies": 0},
        "transitionStatus": "InProgress",
    }


def test_the_gateway_that_has_to_say_something_is_named() -> None:
    parent = {"kind": "Gateway", "namespace": "kserve", "name": "kserve-ingress-gateway"}
    routes = [
        thing(
            "gateway.networking.k8s.io/v1",
            "HTTPRoute",
            name,
            NAMESPACE,
            spec={"parentRefs": [parent]},
        )
        for name in ("chat-predictor", "chat")
    ]
    found = observed(GATEWAY, deployment(COMPLETE), *routes)
    assert {str(one) for one in found.awaited["IngressReady"]} == {
        "Gateway kserve/kserve-ingress-gateway"
    }
    reasons = {one["type"]: one.get("reason") for one in found.status["conditions"]}
    assert reasons["IngressReady"] == "ParentStatusNotAvailable"


#: What Knative reports of Ready, and whether it has seen the Service as it is → whether the service is ready.
KNATIVE = [("True", 2, True), ("True", 1, False), ("False", 2, False), ("Unknown", 2, False)]


@pytest.mark.parametrize(("status", "seen", "expected"), KNATIVE)
def test_a_knative_service_is_ready_as_it_is_now(status: str, seen: int, expected: bool) -> None:
    said = [
        {"type": kind, "status": status, "reason": "RevisionFailed", "message": "boom"}
        for kind in ("Ready", "RoutesReady", "ConfigurationsReady")
    ]
    live = {
        "apiVersion": "serving.knative.dev/v1",
        "kind": "Service",
        "metadata": {"name": "chat-predictor", "namespace": NAMESPACE, "generation": 2},
        "status": {
            "observedGeneration": seen,
            "conditions": said,
            "url": "http://chat-predictor.team-a.example.com",
        },
    }
    found = observed(INGRESS, live, annotations={MODE: "Knative"})
    assert found.ready is expected
    failed = [fault.message for fault in found.faults]
    assert failed == (["Knative Service chat-predictor: boom"] if status == "False" else [])


def test_what_could_not_be_applied_is_said_of_the_predictor() -> None:
    found = reconcile_error(observed(INGRESS, deployment(COMPLETE)), "no space left: 100%")
    told = {one["type"]: one for one in found.status["conditions"]}
    for kind in ("PredictorReady", "Ready"):
        assert (told[kind]["status"], told[kind]["reason"]) == ("False", "ReconcileFailed")
        assert told[kind]["message"] == "no space left: 100%"
    assert not found.ready
    assert found.status["url"] == "http://chat-team-a.example.com"


def test_the_model_of_a_ready_service_is_known_without_its_pods() -> None:
    live = (INGRESS, deployment(COMPLETE))
    running = pod(phase="Running", conditions=[{"type": "Ready", "status": "True"}])
    seen = observed(*live, pods=(running,)).status["modelStatus"]
    assert seen["states"]["targetModelState"] == "Loaded"
    assert seen["copies"]["totalCopies"] == 1
    assert observed(*live, pods=UNREAD).status["modelStatus"] == seen
