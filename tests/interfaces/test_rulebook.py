# SPDX-License-Identifier: GPL-3.0-or-later
"""The example rulebook, run by ansible-rulebook on a real API server: what somebody breaks is mended, several things by one run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.support import inference_services, llm_services
from tests.cluster.support.entries import Entries
from tests.cluster.support.services import children, deployment, reference, small
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace
from tests.tools import tree

from .conftest import need

Json = dict[str, Any]
BIN = Path(sys.executable).parent
#: Seconds for a start of Java, a rulebook, and a run after ten seconds of quiet.
PATIENCE = 300.0


class Rulebook:
    """The example rulebook while it runs. variables: those that it takes."""

    def __init__(self, folder: Path, kubeconfig: Path, **variables: Any) -> None:
        self._log = folder / "rulebook.log"
        (folder / "vars.yml").write_text(yaml.safe_dump(variables), encoding="utf-8")
        hosts = {"localhost": {"ansible_connection": "local"}}
        (folder / "inventory.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    str(BIN / "ansible-rulebook"),
                    *("--rulebook", "modelops.inference.reconcile"),
                    *("--inventory", "inventory.yml", "--vars", "vars.yml", "--verbose"),
                ],
                cwd=folder,
                env={
                    **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
                    "PATH": f"{BIN}:{os.environ['PATH']}",
                    "KUBECONFIG": str(kubeconfig),
                    "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
                    "ANSIBLE_HOME": str(folder / "home"),
                    "ANSIBLE_NOCOLOR": "1",
                },
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def said(self) -> str:
        """What it printed so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def runs(self) -> int:
        """How many runs of the playbook have ended."""
        return len(re.findall(r"^PLAY RECAP", self.said, re.MULTILINE))

    def wait(self, until: Callable[[], object], what: str) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not until():
            assert time.monotonic() < end, f"{what}: not within {PATIENCE} s\n{self.said}"
            time.sleep(0.5)

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()


@pytest.fixture
def service(lab: Cluster, namespace: str) -> Json:
    """A service that is there and as it is meant to be."""
    made = small("chat", namespace)
    Entries(lab.kubeconfig).reconcile(made)
    return made


@pytest.fixture
def rulebook(lab: Cluster, service: Json, namespace: str, tmp_path: Path) -> Iterator[Rulebook]:
    """The rulebook, following the namespace of the service."""
    need("java", bring="apt-get install default-jre-headless")
    file = tmp_path / "service.yaml"
    file.write_text(yaml.safe_dump(service), encoding="utf-8")
    made = Rulebook(tmp_path, lab.kubeconfig, services=str(file), namespaces=[namespace])
    yield made
    made.end()


def test_what_somebody_breaks_is_mended_by_one_run(
    rulebook: Rulebook, client: Client, namespace: str
) -> None:
    def config() -> Json | None:
        return client.get("v1", "ConfigMap", "chat-epp-config", namespace)

    def replicas() -> int:
        live = client.get("apps/v1", "Deployment", "chat-epp", namespace)
        return int(live["spec"]["replicas"]) if live else 0

    # Until the rulebook follows the namespace: a first change is seen, or another one is made.
    attempts = 0
    end = time.monotonic() + PATIENCE
    while not rulebook.runs and time.monotonic() < end:
        attempts += 1
        client.patch(deployment("chat-epp", namespace), {"spec": {"replicas": 1 + attempts}})
        client.delete(children("chat", namespace)[1])
        again = time.monotonic() + 25.0
        while config() is None and time.monotonic() < again:
            time.sleep(0.5)
        if config() is not None:
            break
    rulebook.wait(lambda: rulebook.runs and replicas() == 1, "the end of the run")
    # Two changes, one run; and its own writes are no events. A slow run does not end before the next two changes are made.
    time.sleep(15.0)
    assert rulebook.runs <= attempts


def test_services_of_kserve_are_mended_too(lab: Cluster, client: Client, tmp_path: Path) -> None:
    need("java", bring="apt-get install default-jre-headless")
    inference_services.prepare(client)
    llm_services.prepare(client)
    with fresh_namespace(client, "events") as place:
        made = [llm_services.routed("chat", place), inference_services.isvc("iris", place)]
        Entries(lab.kubeconfig).reconcile(*made)
        file = tmp_path / "services.yaml"
        file.write_text(yaml.safe_dump_all(made), encoding="utf-8")
        rulebook = Rulebook(tmp_path, lab.kubeconfig, services=str(file), namespaces=[place])
        lost = [
            reference("v1", "Service", name, place)
            for name in ("chat-kserve-workload-svc", "iris-predictor")
        ]

        def there() -> bool:
            names = [each["metadata"]["name"] for each in lost]
            return all(client.get("v1", "Service", name, place) for name in names)

        try:
            # What is deleted before the rulebook follows the namespace is no event: it is put back by hand, and deleted again.
            end = time.monotonic() + PATIENCE
            while not rulebook.runs and time.monotonic() < end:
                for each in lost:
                    client.delete(each)
                again = time.monotonic() + 40.0
                while not there() and time.monotonic() < again:
                    time.sleep(0.5)
                if there():
                    break
                Entries(lab.kubeconfig).reconcile(*made)
            rulebook.wait(lambda: rulebook.runs and there(), "both are as they were")
        finally:
            rulebook.end()


def test_namespace_that_does_not_exist_ends_the_rulebook_with_its_name(
    lab: Cluster, tmp_path: Path
) -> None:
    need("java", bring="apt-get install default-jre-headless")
    rulebook = Rulebook(tmp_path, lab.kubeconfig, services="none", namespaces=["nowhere"])
    try:
        rulebook.wait(lambda: rulebook.process.poll() is not None, "the end")
        assert 'namespaces[0]: "nowhere" does not exist' in rulebook.said
    finally:
        rulebook.end()
