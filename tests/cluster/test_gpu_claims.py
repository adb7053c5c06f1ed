# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices by claim (DRA): our count and the real scheduler's decision on the same nodes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client, wait_until
from tests.lab.commands import NODE_ANNOTATION
from tests.lab.nodes import is_ready
from tests.objects import thing

from .support.entries import Entries

API = "resource.k8s.io/v1"


def device_class(name: str, driver: str) -> Json:
    expression = f"device.driver == '{driver}' && device.attributes['{driver}'].type == 'gpu'"
    return thing(
        API, "DeviceClass", name, spec={"selectors": [{"cel": {"expression": expression}}]}
    )


def published(node: str, driver: str, devices: int) -> list[Json]:
    """Return a node and the devices that a driver publishes for it; one more is of another sort."""
    sizes = {"cpu": "64", "memory": "1Ti", "pods": "110"}
    made = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": node,
            "labels": {"claims": driver, "kubernetes.io/hostname": node},
            "annotations": {NODE_ANNOTATION: "fake"},
        },
        "status": {"capacity": sizes, "allocatable": sizes},
    }
    kinds = ["gpu"] * devices + ["mig"]
    part = {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-devices"},
        "spec": {
            "driver": driver,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [
                {"name": f"device-{number}", "attributes": {"type": {"string": kind}}}
                for number, kind in enumerate(kinds)
            ],
        },
    }
    return [made, part]


@pytest.fixture
def driver(client: Client, namespace: str) -> Iterator[str]:
    """Two nodes with 4 and 2 devices of a driver, whose class has its name."""
    name = f"{namespace}.example.com"
    first, second = f"{namespace}-a", f"{namespace}-b"
    manifests = [
        device_class(name, name),
        *published(first, name, 4),
        *published(second, name, 2),
    ]
    for manifest in manifests:
        client.apply(manifest)
    try:
        for node in (first, second):
            wanted = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}
            client.wait_for(wanted, is_ready)
        yield name
    finally:
        for manifest in manifests:
            client.delete(manifest)


def claiming(name: str, namespace: str, driver: str, devices: int, replicas: int) -> list[Json]:
    """Return a Deployment whose pods each claim devices, and the template of the claims."""
    exactly = {"deviceClassName": driver, "count": devices}
    template = {
        "apiVersion": API,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}},
    }
    container = {"name": "vllm", "image": "vllm", "resources": {"claims": [{"name": "gpu"}]}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {
                    "nodeSelector": {"claims": driver},
                    "containers": [container],
                    "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": name}],
                },
            },
        },
    }
    return [template, deployment]


def placed(client: Client, namespace: str, name: str, replicas: int) -> int:
    """Wait until the scheduler has decided about each pod, and return how many have a node."""

    def look() -> tuple[bool, int]:
        pods = client.list_all("v1", "Pod", namespace, labelSelector=f"app={name}")
        bound = sum(bool(pod["spec"].get("nodeName")) for pod in pods)
        refused = sum(
            condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable"
            for pod in pods
            for condition in (pod.get("status") or {}).get("conditions") or ()
        )
        return bound + refused == replicas, bound

    found: int = wait_until(look, f"the scheduler to decide about {name}", 60)
    return found


@pytest.mark.parametrize(
    ("devices", "replicas", "room"), [(2, 3, 3), (2, 4, 3), (4, 1, 1), (3, 2, 1), (5, 1, 0)]
)
def test_count_agrees_with_the_scheduler(
    devices: int,
    replicas: int,
    room: int,
    entries: Entries,
    client: Client,
    namespace: str,
    driver: str,
) -> None:
    template, deployment = claiming("chat", namespace, driver, devices, replicas)
    client.apply(template)
    found = entries.gpu(state="gathered", services=[deployment])
    (answer,) = found["fit"]["workloads"]
    assert answer["verdict"] == ("fits" if room == replicas else "does not fit"), answer
    client.apply(deployment)
    assert placed(client, namespace, "chat", replicas) == room
    after = entries.gpu(state="gathered")
    (used,) = {
        sum(row["used"] for row in after["capacity"] if row["resource"] == f"deviceclass/{driver}")
    }
    assert used == devices * room


@pytest.mark.parametrize("named", ["{driver}/gpu", "deviceclass.resource.kubernetes.io/{driver}"])
def test_resource_that_a_driver_serves_is_counted_as_the_scheduler_does(
    named: str, entries: Entries, client: Client, namespace: str, driver: str
) -> None:
    served = device_class(driver, driver)
    served["spec"]["extendedResourceName"] = f"{driver}/gpu"
    client.apply(served)
    dummy, deployment = claiming("chat", namespace, driver, 0, 2)
    spec = deployment["spec"]["template"]["spec"]
    del spec["resourceClaims"]
    spec["containers"][0]["resources"] = {"limits": {named.format(driver=driver): "3"}}
    (answer,) = entries.gpu(state="gathered", services=[deployment])["fit"]["workloads"]
    assert (answer["verdict"], sum(answer["placed_on"].values())) == ("does not fit", 1), answer
    client.apply(deployment)
    assert placed(client, namespace, "chat", 2) == 1


def test_what_is_rendered_asks_for_what_is_counted(
    entries: Entries, client: Client, namespace: str, driver: str
) -> None:
    accelerator = {"type": "nvidia", "device_class": driver}
    rendered = entries.gpu(state="rendered", accelerator=accelerator, parallelism={"tensor": 4})
    (template,) = rendered["claim_templates"]
    template["metadata"]["namespace"] = namespace
    client.apply(template)
    dummy, deployment = claiming("chat", namespace, driver, 1, 1)
    spec = deployment["spec"]["template"]["spec"]
    spec["containers"][0]["resources"] = rendered["resources"]
    spec["resourceClaims"] = rendered["resource_claims"]
    (answer,) = entries.gpu(state="gathered", services=[deployment])["fit"]["workloads"]
    assert (answer["verdict"], answer["needed"]) == ("fits", "4")
    client.apply(deployment)
    assert placed(client, namespace, "chat", 1) == 1
