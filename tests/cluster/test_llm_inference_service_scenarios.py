# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios of KServe's own suites that need a server. Source: KServe pkg/controller/v1alpha2/llmisvc/@v0.17.0.

The lab plays the gateway's controller. The shapes of its end-to-end suite are made in one run, as a fleet is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy

import pytest

from module_utils.engine import lasting
from module_utils.kinds.llm_inference_service.conversion import to_v1alpha1
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace

from .support.broken_pods import meanwhile, set_status
from .support.cluster import config_map, read, there
from .support.entries import Entries, actions
from .support.llm_services import API_VERSION, child, gateway, llm, prepare, routed
from .support.places import knowing, own_namespace

WAIT = {"wait": True, "wait_timeout": 240.0, "fit": "ignore"}
GROUPS: Json = {"worker": {"containers": []}}
SPREAD: Json = {**GROUPS, "parallelism": {"data": 2, "dataLocal": 1}}


client = knowing(prepare)
place = own_namespace("llm")


# Replicas.

DEPLOYMENT = ("apps/v1", "Deployment", "chat-kserve")
GROUP = ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "chat-kserve-mn")
#: The service, what is changed of it, its workload, what somebody scales that to, and what it comes to.
SCALED: dict[str, tuple[Json, Json, tuple[str, str, str], int, int]] = {
    "pods that nobody counts stay as they were scaled": (
        {"replicas": None},
        {"model": {"uri": "hf://acme/chat", "name": "other"}},
        DEPLOYMENT,
        3,
        3,
    ),
    "pods that are counted come back": (
        {"replicas": 2},
        {"model": {"uri": "hf://acme/chat", "name": "other"}},
        DEPLOYMENT,
        5,
        2,
    ),
    "groups that nobody counts stay as they were scaled": (
        {"replicas": None, **SPREAD},
        {"parallelism": {"data": 2, "dataLocal": 1, "expert": True}},
        GROUP,
        3,
        3,
    ),
    "groups that are counted come back": (
        {"replicas": 2, **SPREAD},
        {"parallelism": {"data": 2, "dataLocal": 1, "expert": True}},
        GROUP,
        5,
        2,
    ),
}


@pytest.mark.parametrize("row", SCALED)
def test_replicas_are_the_authors_where_he_counts_them(
    row: str, entries: Entries, client: Client, place: str
) -> None:
    spec, change, workload, scaled, wanted = SCALED[row]
    given = llm("chat", place, **spec)
    entries.reconcile(given, fit="ignore")
    reference = child(*workload, place)
    client.patch(there(client, reference), {"spec": {"replicas": scaled}})
    given["spec"] |= deepcopy(change)
    result = entries.reconcile(given, fit="ignore")
    assert actions(result)[f"{workload[1]}/{workload[2]}"] == "updated"
    assert there(client, reference)["spec"]["replicas"] == wanted


# What becomes of a change.


def test_what_is_taken_out_goes_and_what_others_wrote_stays(
    entries: Entries, client: Client, place: str
) -> None:
    service = llm("chat", place, annotations={"kept": "1", "dropped": "2"}, replicas=0)
    deployment = child(*DEPLOYMENT, place)
    entries.reconcile(service, fit="ignore")
    client.patch(there(client, deployment), {"metadata": {"annotations": {"theirs": "3"}}})
    del service["spec"]["annotations"]["dropped"]
    entries.reconcile(service, fit="ignore")
    live = there(client, deployment)
    assert live["metadata"]["annotations"]["theirs"] == "3"
    assert live["spec"]["template"]["metadata"]["annotations"] == {"kept": "1"}


def test_the_service_of_a_picker_goes_with_it_whatever_its_pool_calls_it(
    entries: Entries, client: Client, place: str
) -> None:
    pool = {
        "endpointPickerRef": {"name": "own-epp", "port": {"number": 9002}},
        "selector": {"matchLabels": {"app": "x"}},
        "targetPorts": [{"number": 8000}],
    }
    router = {"scheduler": {"pool": {"spec": pool}}}
    picker = child("v1", "Service", "own-epp", place)
    entries.reconcile(llm("chat", place, replicas=0, router=router), fit="ignore")
    there(client, picker)
    entries.reconcile(llm("chat", place, replicas=0), fit="ignore")
    assert read(client, picker) is None


def test_prefill_that_comes_later_needs_leave_to_make_the_deployment_anew(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(llm("chat", place, replicas=0), fit="ignore")
    before = there(client, child(*DEPLOYMENT, place))
    split = llm("chat", place, replicas=0, prefill={"replicas": 0})
    message = entries.refused(split, fit="ignore")
    for word in ("chat-kserve", "spec.selector", "both", "decode", "recreate"):
        assert word in message
    entries.reconcile(split, fit="ignore", recreate=["Deployment"])
    after = there(client, child(*DEPLOYMENT, place))
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert after["spec"]["selector"]["matchLabels"]["llm-d.ai/role"] == "decode"


# What is not there.


def test_what_is_gone_already_is_no_error(entries: Entries, client: Client, place: str) -> None:
    service = routed("chat", place)
    entries.reconcile(service, fit="ignore")
    client.delete(child("apps/v1", "Deployment", "chat-kserve", place))
    assert entries.reconcile(service, state="absent")["changed"]
    assert not entries.reconcile(service, state="absent")["changed"]


# All shapes together.

ROUTE: Json = {"gateway": {}, "route": {}}
MANAGED: Json = {**ROUTE, "scheduler": {}}
PICKER: Json = {
    "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
    "kind": "EndpointPickerConfig",
    "plugins": [
        {"type": "single-profile-handler"},
        {"type": "queue-scorer"},
        {"type": "max-score-picker"},
    ],
    "schedulingProfiles": [
        {
            "name": "default",
            "plugins": [{"pluginRef": "queue-scorer"}, {"pluginRef": "max-score-picker"}],
        }
    ],
}


def own_gateway(place: str) -> Json:
    return {"refs": [{"name": "lab", "namespace": place}]}


def inline(place: str, name: str) -> Json:
    """Return a route with timeouts that its author wrote."""
    pool = {
        "group": "inference.networking.k8s.io",
        "kind": "InferencePool",
        "name": f"{name}-inference-pool",
        "port": 8000,
    }
    rule = {"timeouts": {"request": "30s", "backendRequest": "30s"}, "backendRefs": [pool]}
    parents = [{"name": "lab", "namespace": place}]
    return {"http": {"spec": {"parentRefs": parents, "rules": [rule]}}}


def by_routes(place: str) -> Json:
    routes = {"http": {"refs": [{"name": "first"}, {"name": "second"}]}}
    return {"gateway": own_gateway(place), "route": routes, "scheduler": {}}


def shapes(place: str) -> dict[str, Json]:
    """Return what bases of each service say, by its name."""
    split: Json = {"prefill": {"replicas": 1}}
    reference = {"config": {"ref": {"name": "picker", "key": "epp"}}}
    return {
        "z1": {"router": {**MANAGED, "gateway": own_gateway(place)}},
        "z2": {"router": MANAGED},
        "z3": {"router": {"route": inline(place, "z3"), "scheduler": {}}},
        "z4": {"router": by_routes(place)},
        "z5": {"router": MANAGED, **split},
        "z6": {"router": {"route": inline(place, "z6"), "scheduler": {}}, **split},
        "z7": {"router": by_routes(place), **split},
        "z8": {"router": MANAGED, **GROUPS, "prefill": {"replicas": 1, **GROUPS}},
        "z9": {"router": ROUTE},
        "z10": {"router": MANAGED, **GROUPS},
        "z11": {"router": {**ROUTE, "scheduler": {"config": {"inline": PICKER}}}},
        "z12": {"router": {**ROUTE, "scheduler": reference}},
        "z13": {"router": {**ROUTE, "scheduler": {"replicas": 2}}},
    }


#: Templates see what the service itself says, so that sizes stand there.
SIZES: dict[str, Json] = {
    "z8": {
        "parallelism": {"data": 1, "dataLocal": 8},
        "prefill": {"parallelism": {"data": 2, "dataLocal": 1}},
    },
    "z10": {"parallelism": {"data": 2, "dataLocal": 1}},
}


def config(name: str, place: str, spec: Json) -> Json:
    metadata = {"name": name, "namespace": place}
    kind = "LLMInferenceServiceConfig"
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def combined(name: str, place: str) -> Json:
    """Return a service that is put together from bases."""
    made = llm(name, place, baseRefs=[{"name": "model"}, {"name": name}], **SIZES.get(name, {}))
    del made["spec"]["model"], made["spec"]["replicas"]
    return made


def around(place: str) -> list[Json]:
    """Return what the services name: a gateway, two routes, a picker's configuration and a model."""
    parent = [{"name": "lab", "namespace": place}]
    routes = [
        {
            **child("gateway.networking.k8s.io/v1", "HTTPRoute", name, place),
            "spec": {"parentRefs": parent},
        }
        for name in ("first", "second")
    ]
    model = {"model": {"uri": "hf://facebook/opt-125m", "name": "opt"}, "replicas": 1}
    return [
        gateway("lab", place),
        *routes,
        config_map("picker", place, epp="kind: EndpointPickerConfig\n"),
        config("model", place, model),
    ]


@pytest.fixture(scope="module")
def fleet(lab: Cluster, client: Client) -> Iterator[dict[str, Json]]:
    """Every shape, made in one run that waits; each service as it is reported, by its name."""
    with fresh_namespace(client, "llm") as place:
        client.apply_all(around(place))
        made = shapes(place)
        client.apply_all([config(name, place, spec) for name, spec in made.items()])
        result = Entries(lab.kubeconfig).reconcile(*(combined(n, place) for n in made), **WAIT)
        yield {service["name"]: service for service in result["services"]}


SHAPES = {
    "a gateway of the author with a managed route gets ready": "z1",
    "a managed router with one pod gets ready": "z2",
    "an inline route with timeouts gets ready": "z3",
    "two routes of the author get ready": "z4",
    "a split service with a managed router gets ready": "z5",
    "a split service with an inline route gets ready": "z6",
    "a split service with routes of the author gets ready": "z7",
    "groups that are split get ready": "z8",
    "a route without a picker gets ready": "z9",
    "groups with a picker get ready": "z10",
    "a picker with an inline configuration gets ready": "z11",
    "a picker with a configuration of a ConfigMap gets ready": "z12",
    "two pickers get ready": "z13",
}


@pytest.mark.parametrize("row", SHAPES)
def test_a_service_that_is_put_together_from_bases_gets_ready(
    row: str, fleet: dict[str, Json]
) -> None:
    service = fleet[SHAPES[row]]
    said = {each["type"]: each["status"] for each in service["conditions"]}
    assert service["ready"]
    assert said["Ready"] == said["WorkloadsReady"] == said["RouterReady"] == "True"


def test_a_stop_that_is_called_off_makes_the_service_ready_again(
    entries: Entries, client: Client, place: str
) -> None:
    service = llm("chat", place)
    workload = child("apps/v1", "Deployment", "chat-kserve", place)
    entries.reconcile(service, **WAIT)
    service["metadata"]["annotations"] = {"serving.kserve.io/stop": "true"}
    (stopped,) = entries.reconcile(service)["services"]
    ready = next(each for each in stopped["conditions"] if each["type"] == "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "Stopped")
    assert read(client, workload) is None
    service["metadata"]["annotations"] = {"serving.kserve.io/stop": "false"}
    (again,) = entries.reconcile(service, **WAIT)["services"]
    assert again["ready"]
    assert read(client, workload) is not None


#: The lab's nodes start every pod that they get; this one gets to none, so that the test alone says how it is.
NEVER = {"containers": [], "schedulerName": "nobody"}


def broken(place: str) -> Json:
    """Return a service whose model cannot be fetched."""
    return llm("broken", place, model={"uri": "s3://bucket/model", "name": "b"}, template=NEVER)


@contextmanager
def failing(client: Client, place: str) -> Iterator[None]:
    """Say of the pods of `broken` what a kubelet says where an init container fails, which counts after a second."""
    with pytest.MonkeyPatch.context() as patch, meanwhile(lambda: _say_it(client, place)):
        patch.setattr(lasting, "FAULT_LASTS_S", 1.0)
        yield


def _say_it(client: Client, place: str) -> None:
    for pod in client.list_all("v1", "Pod", place):
        if pod["metadata"]["name"].startswith("broken-kserve-"):
            waiting = {
                "name": "storage-initializer",
                "image": "registry.example.com/fetcher:1",
                "imageID": "",
                "ready": False,
                "restartCount": 4,
                "state": {
                    "waiting": {"reason": "CrashLoopBackOff", "message": "access to bucket denied"}
                },
            }
            status = {
                "phase": "Pending",
                "conditions": [{"type": "Ready", "status": "False"}],
                "initContainerStatuses": [waiting],
                "containerStatuses": [],
            }
            set_status(client, pod, status)


def test_a_service_that_fails_does_not_touch_its_neighbour(
    entries: Entries, client: Client, place: str
) -> None:
    good = llm("good", place)
    entries.reconcile(good, **WAIT)
    before = there(client, good)["metadata"]["resourceVersion"]
    with failing(client, place):
        result = entries.run(broken(place), **WAIT)
    assert result["failed"]
    assert there(client, good)["metadata"]["resourceVersion"] == before


def test_an_init_container_that_fails_is_told_and_the_service_is_not_ready(
    entries: Entries, client: Client, place: str
) -> None:
    with failing(client, place):
        result = entries.run(broken(place), **WAIT)
    (service,) = result["services"]
    said = {each["type"]: each["status"] for each in service["conditions"]}
    assert "access to bucket denied" in result["msg"]
    assert said["WorkloadsReady"] == "False"
    assert said["Ready"] != "True"


def test_both_versions_say_the_same_of_a_service(entries: Entries, place: str) -> None:
    old = llm("chat", place)
    old["apiVersion"] = "serving.kserve.io/v1alpha1"
    adapter = {"name": "tune", "uri": "hf://acme/tune", "criticality": "Sheddable"}
    old["spec"]["model"] |= {"criticality": "Critical", "lora": {"adapters": [adapter]}}
    old["metadata"] |= {"labels": {"team": "a"}, "annotations": {"note": "n"}}
    entries.reconcile(old, fit="ignore")
    (stored,) = entries.reconcile(old, state="gathered")["gathered"]
    assert stored["apiVersion"] == API_VERSION
    assert "criticality" not in stored["spec"]["model"]
    assert to_v1alpha1(stored) == old
