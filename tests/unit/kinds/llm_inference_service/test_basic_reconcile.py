# SPDX-License-Identifier: GPL-3.0-or-later
"""From a service to its children and its status, as a whole. Source: KServe pkg/controller/v1alpha2/llmisvc/controller_int_test.go@v0.17.0.

What needs a server is tried on one: tests/cluster/test_llm_inference_service_scenarios.py.
"""

from __future__ import annotations

from typing import Any

from module_utils.kube.manifest import Json

from .build import document
from .preset_world import ROUTER, preset
from .settled import TAKEN, settled
from .world import gateway, route, thing

OLD, NEW = "inference.networking.x-k8s.io", "inference.networking.k8s.io"
PROGRAMMED = [{"type": "Programmed", "status": "True"}]
OWN_GATEWAY = gateway("own", namespace="net", conditions=PROGRAMMED)
OWN_REFS = {"refs": [{"name": "own", "namespace": "net"}]}
WORKLOAD = ("", "Service", "chat-kserve-workload-svc")


def own_route(name: str = "mine", parent: str = "own", namespace: str = "net") -> Json:
    """Return a route of the author that its gateway takes."""
    reference = {"name": parent, "namespace": namespace}
    made = route(name=name, parents=[reference])
    return {**made, "status": {"parents": [{"parentRef": reference, "conditions": TAKEN}]}}


def parents(found: Any) -> list[tuple[str, str]]:
    spec = found.children["HTTPRoute", "chat-kserve-route"]["spec"]
    return [(each["namespace"], each["name"]) for each in spec["parentRefs"]]


def test_a_service_that_only_names_bases_gets_ready() -> None:
    workload = {
        "containers": [{"name": "main", "image": "own:1", "env": [{"name": "A", "value": "b"}]}]
    }
    bases = [
        preset(
            "model",
            {"model": {"uri": "hf://facebook/opt-125m", "name": "facebook/opt-125m"}},
            "team-a",
        ),
        preset("router", {"router": ROUTER}, "team-a"),
        preset("workload", {"template": workload}, "team-a"),
    ]
    given = document(baseRefs=[{"name": name} for name in ("model", "router", "workload")])
    found = settled(given, *bases)
    (main,) = found.children["Deployment", "chat-kserve"]["spec"]["template"]["spec"]["containers"]
    assert (main["image"], main["args"]) == ("own:1", ["facebook/opt-125m"])
    assert len([kind for kind, dummy in found.children if kind == "HTTPRoute"]) == 1
    for condition in ("PresetsCombined", "RouterReady", "HTTPRoutesReady", "Ready"):
        assert found.said[condition] == "True"
    kept = {
        f"serving.kserve.io/config-llm-{name}": f"kserve-config-llm-{name}"
        for name in (
            "template",
            "decode-template",
            "prefill-template",
            "worker-data-parallel",
            "decode-worker-data-parallel",
            "prefill-worker-data-parallel",
            "scheduler",
            "router-route",
        )
    }
    assert found.status["annotations"] == kept


def test_a_queue_reaches_deployment_and_pods_and_nothing_else_does() -> None:
    queue, preemption = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/cannot-preempt"
    given = document(router=ROUTER)
    given["metadata"] |= {
        "labels": {queue: "q", "test": "x"},
        "annotations": {preemption: "true", "test": "x"},
    }
    deployment = settled(given).children["Deployment", "chat-kserve"]
    for metadata in (deployment["metadata"], deployment["spec"]["template"]["metadata"]):
        assert metadata["labels"][queue] == "q"
        assert "test" not in metadata["labels"]
        assert metadata["annotations"] == {preemption: "true"}


def test_a_managed_router_leads_to_its_pool() -> None:
    found = settled(document(router=ROUTER))
    assert parents(found) == [("kserve", "main")]
    assert found.backends() == [(OLD, "InferencePool", "chat-inference-pool")]
    assert ("InferencePool", "chat-inference-pool") in found.children
    assert found.said["HTTPRoutesReady"] == found.said["InferencePoolReady"] == "True"


def test_a_pool_of_somebody_else_is_where_requests_go() -> None:
    pool = thing(
        f"{NEW}/v1", "InferencePool", "theirs", status={"parents": [{"conditions": TAKEN}]}
    )
    router = {**ROUTER, "scheduler": {"pool": {"ref": {"name": "theirs"}}}}
    found = settled(document(router=router), pool)
    assert found.backends() == [(NEW, "InferencePool", "theirs")]
    assert found.said["InferencePoolReady"] == found.said["Ready"] == "True"


def test_without_a_scheduler_requests_go_to_the_workload() -> None:
    found = settled(document(router={"route": {}, "gateway": {}}))
    assert found.backends() == [WORKLOAD]
    labels = found.children["Deployment", "chat-kserve"]["spec"]["template"]["metadata"]["labels"]
    selector = found.children["Service", "chat-kserve-workload-svc"]["spec"]["selector"]
    assert selector.items() <= labels.items()
    assert not [kind for kind, dummy in found.children if kind == "InferencePool"]
    assert found.said["HTTPRoutesReady"] == "True"
    assert "InferencePoolReady" not in found.said


def test_an_inline_route_keeps_its_parent_and_its_backend() -> None:
    backend = {"kind": "Service", "name": "own", "port": 80}
    parent = {"name": "own", "namespace": "net"}
    spec = {"parentRefs": [parent], "rules": [{"backendRefs": [backend]}]}
    router = {**ROUTER, "route": {"http": {"spec": spec}}}
    found = settled(document(router=router), gateways=(OWN_GATEWAY,))
    assert parents(found) == [("net", "own")]
    assert found.backends() == [("", "Service", "own")]


def test_a_route_of_the_author_takes_the_place_of_the_managed_one() -> None:
    router = {"gateway": OWN_REFS, "route": {"http": {"refs": [{"name": "mine"}]}}}
    before = settled(document(router={"gateway": {}, "route": {}}))
    after = settled(document(router=router), own_route(), gateways=(OWN_GATEWAY,))
    key = ("HTTPRoute", "chat-kserve-route")
    assert key in before.children
    assert key not in after.children
    assert after.said["HTTPRoutesReady"] == after.said["GatewaysReady"] == "True"


def test_a_route_of_the_author_alone_is_enough() -> None:
    router = {"route": {"http": {"refs": [{"name": "mine"}]}}}
    found = settled(document(router=router), own_route(), gateways=(OWN_GATEWAY,))
    assert found.said["HTTPRoutesReady"] == found.said["Ready"] == "True"
    assert "GatewaysReady" not in found.said


def test_without_a_router_there_is_no_route_and_nothing_is_missing() -> None:
    found = settled(document())
    assert not [kind for kind, dummy in found.children if kind == "HTTPRoute"]
    assert "HTTPRoutesReady" not in found.said
    assert found.said["RouterReady"] == "True"


def test_a_gateway_of_the_author_takes_the_place_of_the_default_one() -> None:
    router = {**ROUTER, "gateway": OWN_REFS}
    found = settled(document(router=router), gateways=(OWN_GATEWAY,))
    assert parents(found) == [("net", "own")]
    assert found.said["RouterReady"] == found.said["HTTPRoutesReady"] == "True"


def test_a_gateway_that_is_not_there_is_told() -> None:
    router = {
        "gateway": {"refs": [{"name": "non-existent-gateway"}]},
        "route": {"http": {"refs": [{"name": "non-existent-route"}]}},
    }
    found = settled(document(router=router))
    assert found.said["RouterReady"] == "RefsInvalid"
    assert "team-a/non-existent-gateway does not exist" in found.message("RouterReady")


def test_a_gateway_of_an_inline_route_that_is_not_there_is_told() -> None:
    spec = {"parentRefs": [{"name": "gone", "namespace": "team-a"}]}
    found = settled(document(router={"route": {"http": {"spec": spec}}}))
    assert found.said["RouterReady"] == "RefsInvalid"
    text = "Managed HTTPRoute references non-existent Gateway team-a/gone"
    assert found.message("RouterReady") == text


def test_a_route_that_is_not_there_is_told() -> None:
    router = {"gateway": OWN_REFS, "route": {"http": {"refs": [{"name": "gone"}]}}}
    found = settled(document(router=router), gateways=(OWN_GATEWAY,))
    assert found.said["RouterReady"] == "RefsInvalid"
    assert found.message("RouterReady") == "HTTPRoute team-a/gone does not exist"


def test_a_gateway_that_comes_late_makes_the_service_ready() -> None:
    given = document(router={**ROUTER, "gateway": OWN_REFS})
    assert settled(given).said["GatewaysReady"] == "RefsInvalid"
    assert settled(given, gateways=(OWN_GATEWAY,)).said["GatewaysReady"] == "True"


def test_a_route_that_comes_late_makes_the_service_ready() -> None:
    router = {"gateway": OWN_REFS, "route": {"http": {"refs": [{"name": "mine"}]}}}
    missing = settled(document(router=router), gateways=(OWN_GATEWAY,))
    assert missing.said["HTTPRoutesReady"] == "RefsInvalid"
    assert missing.said.get("GatewaysReady") != "RefsInvalid"
    late = settled(document(router=router), own_route(), gateways=(OWN_GATEWAY,))
    assert late.said["HTTPRoutesReady"] == "True"


def test_a_scheduler_that_is_taken_away_is_not_spoken_of() -> None:
    assert settled(document(router=ROUTER)).said["SchedulerWorkloadReady"] == "True"
    assert "SchedulerWorkloadReady" not in settled(document(router={"route": {}})).said
