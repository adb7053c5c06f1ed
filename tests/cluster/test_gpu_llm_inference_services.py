# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices set on LLMInferenceServices that somebody else keeps, field by field, and whether they fit."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client

from .support.cluster import there
from .support.entries import Entries
from .support.llm_services import child, llm, prepare
from .support.places import knowing

GPU = "nvidia.com/gpu"
SERVER = {"name": "main", "image": "registry.example.com/engine:1"}
SIDE = {"name": "logger", "image": "registry.example.com/logger:1"}
GROUPS: Json = {
    "parallelism": {"data": 2, "dataLocal": 1},
    "template": {"containers": [SERVER]},
    "worker": {"containers": [SERVER]},
}


client = knowing(prepare)


def by_hand(client: Client, namespace: str, **spec: Any) -> Json:
    """Let somebody else write a service."""
    service = llm("chat", namespace, **spec)
    client.apply(service, manager="kubectl")
    return service


def options(service: Json, role: str = "decode", **sizes: int) -> Json:
    return {
        "accelerator": {"type": "nvidia"},
        "parallelism": sizes or {"tensor": 4},
        "workload": {"kind": "LLMInferenceService", "role": role, **service["metadata"]},
    }


def spec(client: Client, service: Json) -> Json:
    found: Json = there(client, service)["spec"]
    return found


def asked(pod: Json) -> dict[str, str]:
    """Return what each container asks for of devices."""
    return {
        each["name"]: each.get("resources", {}).get("limits", {}).get(GPU, "")
        for each in pod["containers"]
    }


def test_devices_are_set_on_the_server_of_a_service_and_taken_back(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace, template={"containers": [SERVER, SIDE]})
    before = spec(client, service)
    predicted = entries.gpu(check_mode=True, **options(service))
    assert predicted["changed"] is True, predicted
    assert spec(client, service) == before

    first = entries.gpu(**options(service))
    assert first["diff"] == predicted["diff"]
    after = spec(client, service)
    assert asked(after["template"]) == {"main": "4", "logger": ""}
    assert after["template"]["containers"][0]["image"] == SERVER["image"]
    assert [each["key"] for each in after["template"]["tolerations"]] == [GPU]
    assert after["parallelism"] == {"tensor": 4}
    assert entries.gpu(**options(service))["changed"] is False
    assert entries.gpu(**options(service, tensor=2))["changed"] is True

    absent = {"state": "absent", "workload": options(service)["workload"]}
    assert entries.gpu(**absent)["changed"] is True
    assert asked(spec(client, service)["template"]) == {"main": "", "logger": ""}
    assert spec(client, service)["template"]["containers"] == before["template"]["containers"]
    assert entries.gpu(**absent)["changed"] is False


def test_a_service_whose_pods_are_all_of_presets_gets_devices(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace)
    assert entries.gpu(**options(service))["changed"] is True
    wanted = there(client, service)
    rendered = entries.reconcile(
        {**llm("chat", namespace), "spec": wanted["spec"]}, state="rendered"
    )
    (deployment,) = [each for each in rendered["manifests"] if each["kind"] == "Deployment"]
    assert asked(deployment["spec"]["template"]["spec"]) == {"main": "4"}


def test_leader_workers_and_prefill_ask_for_themselves(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace, **deepcopy(GROUPS), prefill={"replicas": 1})
    written = entries.gpu(**options(service, tensor=2, data=2, data_local=1))
    assert written["changed"] is True, written["msg"]
    assert entries.gpu(**options(service, "prefill", tensor=1))["changed"] is True
    after = spec(client, service)
    assert asked(after["template"]) == asked(after["worker"]) == {"main": "2"}
    assert asked(after["prefill"]["template"]) == {"main": "1"}
    assert after["parallelism"] == {"data": 2, "dataLocal": 1, "tensor": 2}
    assert after["prefill"]["parallelism"] == {"tensor": 1}
    absent = {"state": "absent", "workload": options(service)["workload"]}
    assert entries.gpu(**absent)["changed"] is True
    left = spec(client, service)
    assert asked(left["template"]) == asked(left["worker"]) == {"main": ""}
    assert asked(left["prefill"]["template"]) == {"main": "1"}


def test_a_size_that_the_author_wrote_is_named_and_stays(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace, **deepcopy(GROUPS))
    refused = entries.gpu(**options(service, tensor=1, data=4, data_local=1))
    assert refused["failed"]
    assert "spec.parallelism.data (kubectl)" in refused["msg"]
    assert spec(client, service)["parallelism"] == {"data": 2, "dataLocal": 1}


def test_a_workload_of_a_service_is_refused_with_the_field_to_set(
    entries: Entries, client: Client, namespace: str
) -> None:
    entries.reconcile(llm("chat", namespace), fit="ignore")
    there(client, child("apps/v1", "Deployment", "chat-kserve", namespace))
    workload = {"kind": "Deployment", "name": "chat-kserve", "namespace": namespace}
    refused = entries.gpu(accelerator={"type": "nvidia"}, workload=workload)
    assert refused["failed"]
    assert "spec.template.containers[main].resources" in refused["msg"]


def sized(namespace: str, decode: int, prefill: int) -> Json:
    """Return a service of groups and of prefill pods whose containers ask for devices."""

    def pod(devices: int) -> Json:
        resources = {"limits": {GPU: str(devices)}}
        return {"containers": [{"name": "main", "resources": resources}]}

    return llm(
        "chat",
        namespace,
        parallelism={"data": 2, "dataLocal": 1},
        template=pod(decode),
        worker=pod(decode),
        prefill={"replicas": 1, "template": pod(prefill)},
    )


@pytest.mark.usefixtures("client")
def test_groups_and_prefill_are_judged_by_what_is_free(entries: Entries, namespace: str) -> None:
    fits = entries.gpu(state="gathered", services=[sized(namespace, 1, 1)], checks=["fit"])
    judged = fits["fit"]["workloads"]
    assert fits["fit"]["fits"] is True, fits
    assert {each["name"] for each in judged} == {"chat-kserve-mn", "chat-kserve-prefill"}
    too_large = entries.gpu(state="gathered", services=[sized(namespace, 1, 64)])
    assert too_large["failed"]
    assert "there is no room for 1 pod of 64 nvidia.com/gpu" in too_large["msg"]
