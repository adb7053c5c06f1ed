# SPDX-License-Identifier: GPL-3.0-or-later
"""One inventory host for each cluster: the example's own inventory and playbook make several clusters so in one command."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab.cluster import Cluster
from tests.lab.control_plane import ControlPlane
from tests.tools import tree

from .support.cluster import owned
from .support.entries import Entries
from .support.services import small

EXAMPLE = Path(__file__).parents[2] / "examples" / "clusters" / "inventory.yml"
NEAR, FAR = "frankfurt-01", "oregon-02"
#: The exit code of ansible-playbook.
FAILED_HOSTS = 2


@pytest.fixture
def inventory(lab: Cluster, own_lab: ControlPlane, tmp_path: Path) -> Path:
    """The example's inventory, with the kubeconfigs of two of its clusters beside it."""
    (tmp_path / "kubeconfigs").mkdir()
    for host, plane in ((NEAR, lab), (FAR, own_lab)):
        shutil.copy(plane.kubeconfig, tmp_path / "kubeconfigs" / host)
    return Path(shutil.copy(EXAMPLE, tmp_path))


def reconcile(
    inventory: Path, service: Json, *options: str, limit: str = f"{NEAR},{FAR}"
) -> tuple[int, str]:
    """Reconcile a service on clusters, both where none is named. Return the exit code and what was printed."""
    file = inventory.with_name("service.yaml")
    file.write_text(yaml.safe_dump(service), encoding="utf-8")
    variables = {
        "modelops_hosts": "clusters",
        "model_services_src": str(file),
        "model_services_wait": False,
        "model_services_create_namespaces": True,
        "model_services_reconciler": "direct",
    }
    return run(inventory, "reconcile", variables, *options, limit=limit)


def run(
    inventory: Path,
    playbook: str,
    variables: Json,
    *options: str,
    limit: str = f"{NEAR},{FAR}",
) -> tuple[int, str]:
    """Run a playbook on clusters, both where none is named. Return its exit code and what it printed."""
    words = ["-i", str(inventory), "--limit", limit, "-e", json.dumps(variables)]
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("ansible-playbook")),
            *(*words, *options),
            f"modelops.inference.{playbook}",
        ],
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
            "ANSIBLE_HOME": str(inventory.parent / "ansible"),
            "ANSIBLE_STRATEGY": "free",
            "ANSIBLE_NOCOLOR": "1",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def recap(printed: str, host: str) -> dict[str, int]:
    """Return the counters of a host."""
    line = next(line for line in printed.splitlines() if line.startswith(f"{host} "))
    words = line.partition(":")[2].split()
    return {name: int(count) for name, dummy, count in (word.partition("=") for word in words)}


def test_one_command_makes_every_cluster_so(
    lab: Cluster, own_lab: ControlPlane, inventory: Path, namespace: str
) -> None:
    service = small("chat", namespace)
    code, printed = reconcile(inventory, service)
    assert code == 0, printed
    for host, plane in ((NEAR, lab), (FAR, own_lab)):
        assert recap(printed, host)["changed"] == 1, printed
        assert "Deployment/chat-decode" in owned(plane.client, service)
    code, printed = reconcile(inventory, service, "-e", "modelops_serial=1")
    assert code == 0, printed
    assert [recap(printed, host)["changed"] for host in (NEAR, FAR)] == [0, 0]


def test_cluster_that_fails_does_not_stop_the_others(
    lab: Cluster, inventory: Path, namespace: str
) -> None:
    (inventory.parent / "kubeconfigs" / FAR).unlink()
    service = small("chat", namespace)
    code, printed = reconcile(inventory, service)
    assert code != 0
    assert recap(printed, FAR)["failed"] == 1
    assert "Deployment/chat-decode" in owned(lab.client, service)


def test_last_words_are_a_line_for_each_cluster(
    lab: Cluster, inventory: Path, namespace: str
) -> None:
    nowhere = yaml.safe_load(lab.kubeconfig.read_text())
    nowhere["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    (inventory.parent / "kubeconfigs" / FAR).write_text(yaml.safe_dump(nowhere))
    code, printed = reconcile(inventory, small("chat", namespace))
    assert code == FAILED_HOSTS
    last = printed[printed.rindex("CLUSTER ") : printed.index("PLAY RECAP")]
    lines = {
        line.strip().strip('",').split()[0]: line.split()[1:5] for line in last.splitlines()[1:3]
    }
    assert lines[NEAR][:4] == ["1", "0", "11", 'well",'], last
    assert lines[FAR][:4] == ["0", "0", "0", "failed:"], last
    assert "127.0.0.1" in last


def test_nineteen_clusters_finish_where_the_twentieth_is_not_there(
    lab: Cluster, entries: Entries, tmp_path: Path
) -> None:
    """Nineteen namespaces of one API server stand in for clusters."""
    mark = uuid.uuid4().hex[:6]
    names = [f"fleet-{mark}-{number:02}" for number in range(20)]
    lost, *there = names
    nowhere = yaml.safe_load(lab.kubeconfig.read_text())
    nowhere["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    (tmp_path / "nowhere").write_text(yaml.safe_dump(nowhere), encoding="utf-8")
    hosts: Json = {name: {"model_services_kubeconfig": str(lab.kubeconfig)} for name in there}
    hosts[lost] = {"model_services_kubeconfig": str(tmp_path / "nowhere")}
    shared = {
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "model_services_namespace": "{{ inventory_hostname }}",
    }
    inventory = tmp_path / "inventory.yml"
    inventory.write_text(yaml.safe_dump({"clusters": {"vars": shared, "hosts": hosts}}))
    service = small("chat", "")
    del service["metadata"]["namespace"]
    try:
        code, printed = reconcile(inventory, service, "--forks", "6", limit="clusters")
        assert code == FAILED_HOSTS, printed
        last = printed[printed.rindex("CLUSTER ") : printed.index("PLAY RECAP")]
        for name in there:
            assert recap(printed, name)["failed"] == 0, printed
            assert owned(lab.client, small("chat", name)), name
            assert re.search(rf"{name} +1 +[01] +\d+ +well", last), last
        assert re.search(rf"{lost} +0 +0 +0 +failed: .*127\.0\.0\.1", last), last
    finally:
        entries.reconcile(*(small("chat", name) for name in there), state="absent")
        for name in there:
            reference = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            lab.client.delete(reference)


def test_each_cluster_has_a_page_of_its_own(inventory: Path, namespace: str) -> None:
    (inventory.parent / "kubeconfigs" / FAR).unlink()
    variables = {
        "modelops_hosts": "clusters",
        "report_namespace": namespace,
        "report_folder": str(inventory.parent),
    }
    code, printed = run(inventory, "report", variables)
    assert code == FAILED_HOSTS, printed
    assert f"Cluster {NEAR}" in (inventory.parent / f"inference-report-{NEAR}.html").read_text()
    assert not (inventory.parent / f"inference-report-{FAR}.html").exists()
