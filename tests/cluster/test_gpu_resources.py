# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices on live workloads, what a cluster has, and fit before a reconcile writes."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.proxy import Proxy
from tests.tools.steps import tool
from tests.tools.tree import TREE_ROOT

from .support.cluster import there
from .support.entries import Entries
from .support.services import small

GPU = "nvidia.com/gpu"
NVIDIA = {"type": "nvidia", "product": "NVIDIA-H100-80GB-HBM3"}
SPOT = {"key": "spot", "operator": "Exists"}


def deployment(namespace: str, **spec: Any) -> Json:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": namespace},
        "spec": {
            # Nothing runs here; only the template counts.
            "replicas": 0,
            "selector": {"matchLabels": {"app": "chat"}},
            "template": {
                "metadata": {"labels": {"app": "chat"}},
                "spec": {
                    "containers": [
                        {
                            "name": "vllm",
                            "image": "vllm",
                            "env": [{"name": "OWN", "value": "1"}],
                            "resources": {"limits": {"cpu": "4"}},
                        },
                        {"name": "proxy", "image": "proxy"},
                    ],
                    "nodeSelector": {"disk": "fast"},
                    "tolerations": [SPOT],
                    **spec,
                },
            },
        },
    }


def workload(namespace: str, container: str = "vllm") -> Json:
    return {"kind": "Deployment", "name": "chat", "namespace": namespace, "container": container}


def template(client: Client, manifest: Json) -> Json:
    found: Json = there(client, manifest)["spec"]["template"]["spec"]
    return found


def test_devices_are_set_once_and_taken_back(
    entries: Entries, client: Client, namespace: str
) -> None:
    manifest = deployment(namespace)
    client.apply(manifest)
    before = template(client, manifest)
    options = {
        "accelerator": NVIDIA,
        "parallelism": {"tensor": 4},
        "workload": workload(namespace),
    }
    # Node selector and tolerations are each one value to the server, and somebody has written them already.
    refused = entries.gpu(**options)
    assert "tolerations (modelops-lab)" in refused["msg"]
    predicted = entries.gpu(check_mode=True, force_conflicts=True, **options)
    assert predicted["changed"] is True
    assert template(client, manifest) == before

    first = entries.gpu(force_conflicts=True, **options)
    assert first["diff"] == predicted["diff"]
    set_there = template(client, manifest)
    engine, proxy = set_there["containers"]
    assert engine["resources"]["limits"] == {"cpu": "4", GPU: "4"}
    assert [each["name"] for each in engine["env"]] == [
        "OWN",
        "TP_SIZE",
        "DP_SIZE",
        "DP_SIZE_LOCAL",
    ]
    assert proxy == before["containers"][1]
    assert set_there["nodeSelector"] == {
        "disk": "fast",
        "nvidia.com/gpu.product": NVIDIA["product"],
    }
    assert [each["key"] for each in set_there["tolerations"]] == ["spot", GPU]
    assert entries.gpu(**options)["changed"] is False

    fewer = entries.gpu(**{**options, "parallelism": {"tensor": 2}})
    assert fewer["changed"] is True
    assert template(client, manifest)["containers"][0]["resources"]["limits"][GPU] == "2"

    absent = {"state": "absent", "workload": workload(namespace)}
    assert entries.gpu(**absent)["changed"] is True
    assert template(client, manifest) == before
    assert entries.gpu(**absent)["changed"] is False


def test_container_that_asks_for_another_device_is_refused(
    entries: Entries, client: Client, namespace: str
) -> None:
    manifest = deployment(namespace)
    manifest["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["amd.com/gpu"] = (
        "1"
    )
    client.apply(manifest)
    result = entries.gpu(accelerator=NVIDIA, workload=workload(namespace), force_conflicts=True)
    assert result["failed"]
    assert "would ask for amd.com/gpu and nvidia.com/gpu" in result["msg"]


def test_field_of_somebody_else_is_named_and_taken_only_on_request(
    entries: Entries, client: Client, namespace: str
) -> None:
    manifest = deployment(namespace)
    manifest["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"][GPU] = "1"
    client.apply(manifest, manager="helm")
    options = {"accelerator": NVIDIA, "parallelism": {"tensor": 2}, "workload": workload(namespace)}
    refused = entries.gpu(**options)
    assert refused["failed"]
    assert "helm" in refused["msg"]
    assert GPU in refused["msg"]
    assert entries.gpu(**options, force_conflicts=True)["changed"] is True


def test_what_is_not_there_or_not_meant_is_refused(
    entries: Entries, client: Client, namespace: str
) -> None:
    nowhere = entries.gpu(accelerator=NVIDIA, workload=workload(namespace))
    assert "does not exist" in nowhere["msg"]
    client.apply(deployment(namespace))
    unnamed = entries.gpu(accelerator=NVIDIA, workload=workload(namespace, container=""))
    assert "there are several containers; name one: vllm, proxy" in unnamed["msg"]
    entries.reconcile(small("ours", namespace))
    ours = {"kind": "Deployment", "name": "ours-decode", "namespace": namespace}
    taken = entries.gpu(accelerator=NVIDIA, workload=ours)
    assert f"is made from ModelService/{namespace}/ours" in taken["msg"]


def test_cluster_tells_what_it_has(entries: Entries) -> None:
    rows = {row["pool"]: row for row in entries.gpu(state="gathered")["capacity"]}
    assert rows["nvidia"]["resource"] == GPU
    assert rows["nvidia"]["devices"] == 32
    assert rows["nvidia"]["product"] == NVIDIA["product"]
    assert (rows["nvidia-cordoned"]["free"], rows["nvidia-cordoned"]["unusable"]) == (0, 8)
    assert rows["tpu"]["resource"] == "google.com/tpu"


def test_playbook_prints_a_table_and_stops_where_something_does_not_fit(
    lab: Cluster, tmp_path: Path
) -> None:
    def run(*more: str) -> subprocess.CompletedProcess[str]:
        command = ["-e", f"capacity_kubeconfig={lab.kubeconfig}", *more]
        return subprocess.run(
            [tool("ansible-playbook"), "modelops.inference.capacity", *command],
            cwd=tmp_path,
            env={
                **os.environ,
                "ANSIBLE_COLLECTIONS_PATH": str(TREE_ROOT),
            },
            check=False,
            capture_output=True,
            text=True,
        )

    table = run()
    assert table.returncode == 0, table.stdout + table.stderr
    assert re.search(r"nvidia +nvidia.com/gpu +NVIDIA-H100-80GB-HBM3 +4 +32 ", table.stdout)
    manifest = deployment("team-a")
    manifest["spec"]["replicas"] = 1
    limits = manifest["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    limits[GPU] = "16"
    (tmp_path / "chat.yaml").write_text(yaml.safe_dump(manifest))
    stopped = run("-e", "capacity_src=chat.yaml")
    assert stopped.returncode != 0
    assert "Deployment team-a/chat" in stopped.stdout
    assert "there is no room for 1 pod of 16 nvidia.com/gpu" in stopped.stdout


def large(name: str, namespace: str) -> Json:
    """Return a service whose pods are larger than any node of the lab."""
    return small(
        name,
        namespace,
        accelerator={"type": "nvidia"},
        decode={"parallelism": {"tensor": 16}},
    )


def test_service_that_does_not_fit_is_warned_about_or_refused(
    entries: Entries, namespace: str
) -> None:
    said = "there is no room for 1 pod of 16 nvidia.com/gpu"
    refused = entries.refused(large("chat", namespace), fit="require")
    assert said in refused
    assert "Passed over with 8 nvidia.com/gpu free: nvidia-cordoned-0 (cordoned)" in refused
    silent = entries.reconcile(large("chat", namespace), fit="ignore", check_mode=True)
    assert said not in str(silent["warnings"])
    warned = entries.reconcile(large("chat", namespace))
    assert said in str(warned["warnings"])


def test_nodes_are_looked_at_only_where_a_gpu_workload_is_new_or_changed(
    counted: Entries, proxy: Proxy, namespace: str
) -> None:
    def looks(service: Json, **options: Any) -> int:
        proxy.reset()
        counted.reconcile(service, **options)
        return proxy.count(lambda seen: seen.resource.plural == "nodes")

    gpu = small("gpu", namespace, accelerator={"type": "nvidia"})
    assert looks(small("cpu", namespace)) == 0
    assert looks(gpu, fit="ignore", check_mode=True) == 0
    assert looks(gpu) == 1
    assert looks(gpu) == 0
    assert looks({**gpu, "spec": {**gpu["spec"], "decode": {"replicas": 2}}}) == 1
