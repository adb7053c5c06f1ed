# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands around LLMInferenceServices: presets, gateways and certificates of others, and what looking at them costs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.client import Client
from tests.lab.fixtures import fresh_namespace

from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.llm_services import child, gateway, llm, prepare, routed
from .support.places import knowing, own_namespace

Json = dict[str, Any]


client = knowing(prepare)
place = own_namespace("llm")


def test_a_service_that_cannot_be_built_is_refused_before_any_write(
    entries: Entries, client: Client, place: str
) -> None:
    broken = llm("chat", place, baseRefs=[{"name": "no-such-config"}])
    message = entries.refused(broken, llm("code", place))
    assert "no-such-config" in message
    assert "PresetsCombined" in message
    assert read(client, broken) is None
    result = entries.reconcile(broken, llm("code", place), skip_invalid=True)
    assert [each["name"] for each in result["services"]] == ["code"]
    assert any("no-such-config" in each for each in result["warnings"])


def test_the_size_of_a_group_cannot_change(entries: Entries, client: Client, place: str) -> None:
    spread = {"worker": {"containers": []}}
    service = llm("chat", place, parallelism={"data": 4, "dataLocal": 2}, **spread)
    entries.reconcile(service)
    other = llm("chat", place, parallelism={"data": 8, "dataLocal": 2}, **spread)
    message = entries.refused(other)
    assert "spec.parallelism: total parallelism size is immutable" in message
    assert there(client, service)["spec"]["parallelism"]["data"] == 4


def test_a_service_that_cannot_be_built_any_more_is_told_by_a_look(
    entries: Entries, client: Client, place: str
) -> None:
    config = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": "base", "namespace": place},
        "spec": {"replicas": 2},
    }
    client.apply(config)
    service = llm("chat", place, baseRefs=[{"name": "base"}])
    entries.reconcile(service)
    client.delete(config)
    (found,) = entries.info(service)["services"]
    assert any("base" in each["message"] for each in found["problems"])


def test_a_label_that_moves_into_a_selector_is_told_with_both_values(
    entries: Entries, client: Client, place: str
) -> None:
    """Case li-queue-label-moves."""
    service = llm("chat", place)
    labels = {"kueue.x-k8s.io/queue-name": "small"}
    owner = client.create(service)
    controller = {"name": "chat", "uid": owner["metadata"]["uid"], "controller": True}
    deployment = child("apps/v1", "Deployment", "chat-kserve", place)
    deployment["metadata"]["ownerReferences"] = [
        {"apiVersion": service["apiVersion"], "kind": service["kind"], **controller}
    ]
    pod = {"containers": [{"name": "main", "image": "registry.example.com/serving/vllm:0.11.0"}]}
    deployment["spec"] = {
        "replicas": 0,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
    client.create(deployment)
    service["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "large"}
    message = entries.refused(service)
    for word in ("chat-kserve", "spec.selector", "kueue.x-k8s.io/queue-name", "large", "small"):
        assert word in message
    assert "spec.selector" in entries.refused(service, adopt=True)
    assert there(client, deployment)["spec"]["selector"]["matchLabels"] == labels


def test_a_picker_that_is_taken_away_leaves_no_condition(
    entries: Entries, client: Client, place: str
) -> None:
    """Case li-scheduler-removed-condition."""
    entries.reconcile(routed("chat", place))
    without = llm("chat", place, router={"gateway": {}, "route": {}})
    (told,) = entries.reconcile(without, max_deletions=20)["services"]
    live = there(client, without)
    for found in (told["conditions"], live["status"]["conditions"]):
        assert "SchedulerWorkloadReady" not in {each["type"] for each in found}
    scheduler = child("apps/v1", "Deployment", "chat-kserve-router-scheduler", place)
    assert read(client, scheduler) is None
    api = "gateway.networking.k8s.io/v1"
    route = there(client, child(api, "HTTPRoute", "chat-kserve-route", place))
    assert route["spec"]["rules"][0]["backendRefs"][0]["kind"] == "Service"


def test_a_wait_sees_a_gateway_that_comes_late(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    service["spec"]["router"]["gateway"] = {"refs": [{"name": "lab", "namespace": place}]}
    later = threading.Timer(3.0, client.apply, [gateway("lab", place)])
    later.start()
    try:
        result = entries.reconcile(service, wait=True, wait_timeout=90.0)
    finally:
        later.join()
    assert result["services"][0]["ready"]


def test_a_gateway_that_is_not_there_ends_a_wait(entries: Entries, place: str) -> None:
    service = routed("chat", place)
    service["spec"]["router"]["gateway"] = {"refs": [{"name": "none", "namespace": place}]}
    result = entries.run(service, wait=True, wait_timeout=90.0)
    assert result["failed"]
    assert f"Gateway {place}/none does not exist" in result["msg"]


@pytest.fixture
def bundle(client: Client) -> Iterator[str]:
    """A namespace of KServe whose configuration names certificates of S3 endpoints."""
    storage = '{"cpuRequest":"1","cpuLimit":"1","memoryRequest":"1Gi","memoryLimit":"1Gi","caBundleConfigMapName":"s3-ca"}'
    with fresh_namespace(client, "kserve") as name:
        client.apply(_config_map("s3-ca", name, {"cabundle.crt": "certificates"}))
        client.apply(_config_map("inferenceservice-config", name, {"storageInitializer": storage}))
        yield name


def _config_map(name: str, namespace: str, data: Json) -> Json:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def test_two_new_services_share_the_certificates_of_s3(
    entries: Entries, client: Client, place: str, bundle: str
) -> None:
    fleet = [llm(name, place) for name in ("chat", "code")]
    settings = {"kserve_namespace": bundle}
    result = entries.reconcile(*fleet, settings=settings)
    assert actions(result)["ConfigMap/global-ca-bundle"] == "created"
    copy = there(client, child("v1", "ConfigMap", "global-ca-bundle", place))
    assert copy["metadata"]["ownerReferences"][0]["name"] == "chat"
    assert not entries.reconcile(*fleet, settings=settings)["changed"]
