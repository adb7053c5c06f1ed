# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks that take services over from a controller and give them back, run as users run them. The operator is played."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.lab.faults import Fault, do, seen
from tests.lab.nodes import Pool
from tests.lab.proxy import Proxy
from tests.tools import tree

from .support.cluster import owned, there
from .support.entries import Entries
from .support.places import on
from .support.services import deployment
from .test_take_over import Case, made_by_operator, pods, running

Json = dict[str, Any]
LABELS = {"control-plane": "controller-manager", "app.kubernetes.io/name": "model-operator"}
REPLICAS = "inference.modelops.io/replicas"


client, entries = on("own_lab")


@pytest.fixture
def nodes(client: Client) -> Iterator[None]:
    made = Pool("hand-over", 1).manifests()
    for node in made:
        client.create(node)
    yield
    for node in made:
        client.delete(node)


@pytest.fixture
def made(client: Client, nodes: None) -> Iterator[Case]:  # noqa: ARG001
    with made_by_operator(client, "ex-01-minimal-cpu") as case:
        yield case


@pytest.fixture
def operator(client: Client, made: Case) -> Iterator[Json]:
    """A Deployment with the labels of model-operator's, two pods running."""
    manifest = deployment("model-operator", made.service["metadata"]["namespace"])
    manifest["metadata"]["labels"] = LABELS
    pod = {"containers": [{"name": "manager", "image": "registry.example.com/operator:v1"}]}
    manifest["spec"] = {
        "replicas": 2,
        "selector": {"matchLabels": LABELS},
        "template": {"metadata": {"labels": LABELS}, "spec": pod},
    }
    client.create(manifest)
    yield manifest
    client.delete(manifest)


def played(
    name: str, folder: Path, kubeconfig: Path, case: Case, *arguments: str, ok: bool = True
) -> str:
    """Run a playbook of the collection for a service. Return what it printed."""
    given = {
        "model_services_services": [case.service],
        "model_services_settings": case.options["settings"],
        "model_services_releases": case.options["releases"],
        "model_services_kubeconfig": str(kubeconfig),
        "model_services_wait": False,
    }
    variables = folder / "variables.yml"
    variables.write_text(yaml.safe_dump(given), encoding="utf-8")
    process = subprocess.run(
        [
            str(Path(sys.executable).with_name("ansible-playbook")),
            f"modelops.inference.{name}",
            "-e",
            f"@{variables}",
            *arguments,
        ],
        cwd=folder,
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
            "ANSIBLE_HOME": str(folder / "ansible"),
            "ANSIBLE_NOCOLOR": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    printed = process.stdout + process.stderr
    assert (process.returncode == 0) is ok, printed
    return printed


def test_playbooks_take_a_service_over_and_give_it_back_with_the_pods_it_has(
    own_lab: ControlPlane,
    client: Client,
    entries: Entries,
    made: Case,
    operator: Json,
    tmp_path: Path,
) -> None:
    namespace = made.service["metadata"]["namespace"]
    running(client, namespace, 4)
    serving = {name: pod for name, pod in pods(client, namespace).items() if "model-op" not in name}
    assert len(serving) == 2
    children = len(made.sent)

    said = played("take_over", tmp_path, own_lab.kubeconfig, made, "--check")
    assert f"stop Deployment {namespace}/model-operator, now 2 replicas" in said
    assert f"take over {namespace}/tiny-cpu: {children + 1} adopted" in said
    assert owned(client, made.service) == {}
    assert there(client, operator)["spec"]["replicas"] == 2

    said = played("take_over", tmp_path, own_lab.kubeconfig, made)
    assert "all 2 pods are those of before" in said
    assert len(owned(client, made.service)) == children
    live = there(client, operator)
    assert live["spec"]["replicas"] == 0
    assert live["metadata"]["annotations"][REPLICAS] == "2"
    assert pods(client, namespace) == serving

    again = played("take_over", tmp_path, own_lab.kubeconfig, made)
    assert "changed=0" in again
    assert there(client, operator)["metadata"]["annotations"][REPLICAS] == "2"

    said = played("give_back", tmp_path, own_lab.kubeconfig, made)
    assert f"give back {namespace}/tiny-cpu: {children} given back" in said
    assert "all 2 pods are those of before" in said
    assert owned(client, made.service) == {}
    live = there(client, operator)
    assert live["spec"]["replicas"] == 2
    assert REPLICAS not in live["metadata"].get("annotations", {})
    assert serving.items() <= pods(client, namespace).items()
    assert (
        entries.reconcile(made.service, **made.options)["services"][0]["reconciler"] == "controller"
    )


def test_take_over_that_would_restart_pods_leaves_the_controller_running(
    own_lab: ControlPlane, client: Client, made: Case, operator: Json, tmp_path: Path
) -> None:
    made.options["settings"]["images"]["engine"] = "registry.example.com/other:1"
    made.service["spec"]["engine"].pop("image", None)
    said = played("take_over", tmp_path, own_lab.kubeconfig, made, ok=False)
    assert "would restart its pods" in said
    assert there(client, operator)["spec"]["replicas"] == 2
    assert owned(client, made.service) == {}


def test_controller_is_told_stopped_and_started(
    entries: Entries, client: Client, made: Case, operator: Json
) -> None:
    place = made.service["metadata"]
    seen = entries.controller()
    (found,) = seen["controllers"]
    assert (found["name"], found["images"]) == (
        "model-operator",
        ["registry.example.com/operator:v1"],
    )
    assert {"namespace": place["namespace"], "name": place["name"]} in seen["services"]
    foreseen = entries.controller(state="stopped", check_mode=True)
    assert there(client, operator)["spec"]["replicas"] == 2
    stopped = entries.controller(state="stopped")
    assert foreseen["controllers"] == stopped["controllers"]
    assert (foreseen["changed"], stopped["changed"]) == (True, True)
    assert not [name for name in pods(client, place["namespace"]) if "model-operator" in name]
    assert not entries.controller(state="stopped")["changed"]
    started = entries.controller(state="started")
    assert [each["replicas"] for each in started["controllers"]] == [2]
    assert there(client, operator)["status"]["readyReplicas"]
    assert not entries.controller(state="started")["changed"]


def test_controller_whose_status_moves_on_is_stopped_all_the_same(
    own_lab: ControlPlane, client: Client, operator: Json
) -> None:
    """Whoever stops a controller that has just been started meets a Deployment that changes several times a second."""
    turns = iter(range(100))

    def touch() -> None:
        client.patch(operator, {"metadata": {"annotations": {"turn": str(next(turns))}}})

    moving = Fault(seen("patch", "deployments"), do(touch), times=3)
    with Proxy(own_lab, hooks=[moving]) as proxy:
        stopped = Entries(proxy.kubeconfig).controller(state="stopped")
    assert len(moving.struck) == 3
    assert (stopped["changed"], stopped["controllers"][0]["replicas"]) == (True, 0)
    assert there(client, operator)["metadata"]["annotations"][REPLICAS] == "2"


def test_controller_that_somebody_scales_meanwhile_is_left_alone(
    own_lab: ControlPlane, client: Client, operator: Json
) -> None:
    race = Fault(
        seen("patch", "deployments"), do(lambda: client.patch(operator, {"spec": {"replicas": 5}}))
    )
    with Proxy(own_lab, hooks=[race]) as proxy:
        result = Entries(proxy.kubeconfig).controller(state="stopped")
    assert race.struck
    assert "model-operator" in result["msg"]
    live = there(client, operator)
    assert live["spec"]["replicas"] == 5
    assert REPLICAS not in live["metadata"].get("annotations", {})


def test_controller_that_somebody_else_scaled_to_nothing_is_not_started(
    entries: Entries, client: Client, operator: Json
) -> None:
    client.patch(operator, {"spec": {"replicas": 0}})
    assert "was not stopped here" in entries.controller(state="started")["msg"]
