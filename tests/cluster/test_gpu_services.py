# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices set on services and on groups of pods, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.lab import crds
from tests.lab.client import Client

from .support.cluster import there
from .support.entries import Entries
from .support.services import small

GPU = "nvidia.com/gpu"
MANAGER = "modelops.inference.gpu"


def role(service: Json, name: str = "decode") -> Json:
    meta = service["metadata"]
    return {
        "kind": "ModelService",
        "name": meta["name"],
        "namespace": meta["namespace"],
        "role": name,
    }


def options(service: Json, tensor: int = 4, **more: Any) -> Json:
    accelerator = {"type": "nvidia", "product": "NVIDIA-L4"}
    sizes = {"tensor": tensor}
    return {"accelerator": accelerator, "parallelism": sizes, "workload": role(service), **more}


def by_hand(client: Client, namespace: str, **spec: Any) -> Json:
    """Let somebody else write a service that says nothing of devices but what the schema insists on."""
    service = small("chat", namespace, accelerator={"type": "nvidia"}, **spec)
    client.apply(service, manager="kubectl")
    return service


def test_fields_that_mean_devices_are_set_on_a_service_and_taken_back(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace)
    before = there(client, service)["spec"]
    predicted = entries.gpu(check_mode=True, **options(service))
    assert predicted["changed"] is True
    assert there(client, service)["spec"] == before

    first = entries.gpu(**options(service))
    assert first["changed"] is True
    assert first["diff"] == predicted["diff"]
    decode = there(client, service)["spec"]["decode"]
    assert decode["parallelism"] == {"tensor": 4, "data": 1, "dataLocal": 1}
    assert decode["nodeSelector"] == {"nvidia.com/gpu.product": "NVIDIA-L4"}
    assert entries.gpu(**options(service))["changed"] is False
    assert entries.gpu(**options(service, tensor=2))["changed"] is True
    assert there(client, service)["spec"]["decode"]["parallelism"]["tensor"] == 2

    absent = {"state": "absent", "workload": role(service)}
    assert entries.gpu(**absent)["changed"] is True
    assert there(client, service)["spec"] == before
    assert entries.gpu(**absent)["changed"] is False


def test_each_role_keeps_its_devices_when_the_other_gets_or_loses_some(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace, prefill={"replicas": 1})
    prefill = {"workload": role(service, "prefill")}
    entries.gpu(**options(service))
    assert entries.gpu(**{**options(service, tensor=2), **prefill})["changed"] is True
    spec = there(client, service)["spec"]
    assert [spec[name]["parallelism"]["tensor"] for name in ("decode", "prefill")] == [4, 2]
    assert entries.gpu(**options(service))["changed"] is False
    assert entries.gpu(state="absent", **prefill)["changed"] is True
    spec = there(client, service)["spec"]
    assert spec["decode"]["parallelism"]["tensor"] == 4
    assert spec["accelerator"] == {"type": "nvidia"}


def test_size_that_somebody_else_set_is_named_and_taken_only_on_request(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace, decode={"parallelism": {"tensor": 1}})
    refused = entries.gpu(**options(service))
    assert "spec.decode.parallelism.tensor (kubectl)" in refused["msg"]
    assert "force_conflicts" in refused["msg"]
    assert entries.gpu(**options(service), force_conflicts=True)["changed"] is True


def test_service_of_a_playbook_is_left_to_its_playbook(entries: Entries, namespace: str) -> None:
    service = small("chat", namespace, decode={"parallelism": {"tensor": 1}})
    entries.reconcile(service)
    for force in (False, True):
        refused = entries.gpu(**options(service), force_conflicts=force)
        assert refused["failed"]
        assert "llmisvc_reconcile sets them from its services" in refused["msg"]


def test_child_names_the_field_of_its_service(entries: Entries, namespace: str) -> None:
    entries.reconcile(small("ours", namespace))
    for child, said in (
        ("ours-decode", "set spec.accelerator.type and spec.decode.parallelism there"),
        ("ours-epp", "asks for no devices"),
    ):
        workload = {"kind": "Deployment", "name": child, "namespace": namespace}
        refused = entries.gpu(accelerator={"type": "nvidia"}, workload=workload)
        assert f"is made from ModelService/{namespace}/ours" in refused["msg"]
        assert said in refused["msg"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"accelerator": {"type": "nvidia", "profile": "1g.10gb"}}, "no field for nvidia.com/mig"),
        ({"accelerator": {"type": "aws-neuron"}}, "not one of those of a ModelService"),
        ({"accelerator": {"type": "nvidia", "device_class": "x"}}, "no field for device claims"),
        ({"parallelism": {"pipeline": 2}}, "no field for pipeline stages"),
        ({"devices": 8}, "each pod needs 8 devices"),
    ],
)
def test_what_a_service_cannot_say_is_refused(
    more: Json, said: str, entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace)
    refused = entries.gpu(**{**options(service), **more})
    assert refused["failed"]
    assert said in refused["msg"]
    assert there(client, service)["metadata"]["generation"] == 1


def test_role_that_is_not_there_is_not_made(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace)
    refused = entries.gpu(**options(service, workload=role(service, "prefill")))
    assert "spec.prefill: does not exist" in refused["msg"]
    wrong = entries.gpu(**options(service, workload=role(service, "encode")))
    assert '"encode" is not one of decode, prefill' in wrong["msg"]


def group(namespace: str, size: int = 2, **spec: Any) -> Json:
    """Return a LeaderWorkerSet. spec: fields added or replaced."""
    containers = [{"name": "vllm", "image": "vllm", "args": ["-tp", "8", "-pp", "2"]}]
    proxy = {"name": "proxy", "image": "proxy"}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "wide", "namespace": namespace},
        "spec": {
            "replicas": 1,
            "leaderWorkerTemplate": {
                "size": size,
                "leaderTemplate": {"spec": {"containers": [*containers, proxy]}},
                "workerTemplate": {"spec": {"containers": containers}},
            },
            **spec,
        },
    }


def asked(client: Client, manifest: Json) -> list[Json]:
    """Return what each container of a group asks for."""
    template = there(client, manifest)["spec"]["leaderWorkerTemplate"]
    return [
        container.get("resources", {}).get("limits", {})
        for part in ("leaderTemplate", "workerTemplate")
        for container in template[part]["spec"]["containers"]
    ]


def test_group_gets_devices_in_both_templates_and_is_judged(
    entries: Entries, client: Client, namespace: str
) -> None:
    crds.install(client, crds.load("lws"))
    # No groups, so that its manager makes no pods, which would count as placed.
    manifest = group(namespace, replicas=0)
    client.apply(manifest)
    workload = {"kind": "LeaderWorkerSet", "name": "wide", "namespace": namespace}
    unnamed = entries.gpu(accelerator={"type": "nvidia"}, workload={**workload, "container": "x"})
    assert 'there is no container "x": vllm, proxy' in unnamed["msg"]
    wanted = {
        "accelerator": {"type": "nvidia", "devices_per_node": 8},
        "parallelism": {"tensor": 8, "pipeline": 2},
        "workload": {**workload, "container": "vllm"},
    }
    first = entries.gpu(**wanted)
    assert first["changed"] is True, first
    assert not any("the engine is started with" in text for text in first.get("warnings", ()))
    assert asked(client, manifest) == [{GPU: "8"}, {}, {GPU: "8"}]
    assert entries.gpu(**wanted)["changed"] is False
    fewer = entries.gpu(**{**wanted, "parallelism": {"tensor": 4}})
    assert "the engine is started with tensor 8 and pipeline 2" in str(fewer["warnings"])

    entries.gpu(**wanted)
    live = there(client, manifest)
    live["spec"]["replicas"] = 1
    found = entries.gpu(state="gathered", services=[live])
    parts = {each["part"]: each for each in found["fit"]["workloads"]}
    assert (parts["leader"]["needed"], parts["worker"]["needed"]) == ("8", "8")
    assert found["fit"]["fits"] is True, found["fit"]
    live["spec"]["replicas"] = 40
    over = entries.gpu(state="gathered", services=[live])
    assert over["failed"]
    assert "LeaderWorkerSet" in over["msg"]

    cleared = entries.gpu(state="absent", workload=wanted["workload"])
    assert cleared["changed"] is True
    assert asked(client, manifest) == [{}, {}, {}]
