# SPDX-License-Identifier: GPL-3.0-or-later
"""A job in two slices on two work nodes of a mesh, as AWX runs it: transmit, work over receptor, process, and the events read back."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.support.cluster import owned
from tests.cluster.support.services import small
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.tools import debian, receptor, tree

from .conftest import NOT_RUN

Json = dict[str, Any]
BIN = Path(sys.executable).parent
PLAYBOOKS = tree.CHECKOUT / "extensions" / "patterns" / "serve_models" / "playbooks"
NODES = ("worker-1", "worker-2")
#: Seconds until the mesh is up, and until a job is done.
PATIENCE = 300.0


class Mesh:
    """One control node and two work nodes of receptor on this machine."""

    def __init__(self, program: str, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.socket = folder / "control.sock"
        listen = {"tcp-listener": {"port": port, "bindaddr": "127.0.0.1"}}
        control = {"control-service": {"service": "control", "filename": str(self.socket)}}
        configurations = {"control": [listen, control]}
        for node in NODES:
            work = {"worktype": "ansible-runner", "command": str(BIN / "ansible-runner")}
            configurations[node] = [
                {"tcp-peer": {"address": f"127.0.0.1:{port}"}},
                {"control-service": {"service": "control"}},
                {"work-command": {**work, "params": "worker", "allowruntimeparams": True}},
            ]
        self._programs = [
            self._start(program, folder, node, actions) for node, actions in configurations.items()
        ]

    @staticmethod
    def _start(
        program: str, folder: Path, node: str, actions: list[Json]
    ) -> subprocess.Popen[bytes]:
        place = folder / node
        place.mkdir()
        own: list[Json] = [{"node": {"id": node, "datadir": str(place)}}, {"log-level": "warning"}]
        (place / "receptor.yml").write_text(yaml.safe_dump([*own, *actions]), encoding="utf-8")
        with (place / "log").open("wb") as log:
            return subprocess.Popen(
                [program, "--config", str(place / "receptor.yml")],
                env={
                    **os.environ,
                    "PATH": f"{BIN}:{os.environ['PATH']}",
                    "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
                    "ANSIBLE_HOME": str(place / "home"),
                },
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def control(self, *words: str) -> list[str]:
        """Return a command for the control node."""
        return [str(BIN / "receptorctl"), "--socket", str(self.socket), *words]

    def wait_until_up(self) -> None:
        """Wait until the control node knows both work nodes and their kind of work."""
        end = time.monotonic() + PATIENCE
        while not set(NODES) <= self._workers():
            assert time.monotonic() < end, "the mesh does not come up"
            time.sleep(0.3)

    def _workers(self) -> set[str]:
        done = subprocess.run(self.control("status", "--json"), check=False, capture_output=True)
        if done.returncode:
            return set()
        nodes = json.loads(done.stdout).get("Advertisements") or ()
        return {each["NodeID"] for each in nodes if each.get("WorkCommands")}

    def end(self) -> None:
        for program in self._programs:
            program.terminate()
        for program in self._programs:
            try:
                program.wait(timeout=20)
            except subprocess.TimeoutExpired:
                program.kill()


@pytest.fixture
def mesh(tmp_path: Path) -> Iterator[Mesh]:
    """A mesh that is up."""
    try:
        program = receptor.bring()
    except debian.NotToBeHad as error:
        pytest.skip(f"{NOT_RUN}receptor is not there: {error}")
    made = Mesh(str(program), tmp_path)
    try:
        made.wait_until_up()
        yield made
    finally:
        made.end()


class Slice:
    """A part of a job: the clusters of one work node."""

    def __init__(self, folder: Path, lab: Cluster, node: str, service: Json) -> None:
        self.node = node
        self.results = folder / f"{node}.results"
        self.here, self.there = folder / f"{node}-sent", folder / f"{node}-work"
        shutil.copytree(PLAYBOOKS, self.here / "project")
        (self.here / "project" / "service.yaml").write_text(yaml.safe_dump(service))
        (self.here / "inventory").mkdir()
        # As examples/clusters/inventory.yml has it.
        here = {
            "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        }
        hosts = {f"cluster-of-{node}": here}
        (self.here / "inventory" / "hosts.yml").write_text(
            yaml.safe_dump({"all": {"hosts": hosts}})
        )
        (self.here / "env").mkdir()
        shutil.copy(lab.kubeconfig, self.here / "env" / "kubeconfig")
        where = {"K8S_AUTH_KUBECONFIG": str(self.there / "env" / "kubeconfig")}
        (self.here / "env" / "envvars").write_text(json.dumps(where))
        answers = {"modelops_hosts": "all", "model_services_src": "service.yaml"}
        (self.here / "env" / "extravars").write_text(json.dumps(answers))

    def submit(self, mesh: Mesh) -> None:
        """Send the job to its node, and follow it."""
        sent = self.here.with_suffix(".payload")
        with sent.open("wb") as payload:
            command = [
                str(BIN / "ansible-runner"),
                "transmit",
                str(self.here),
                "-p",
                "reconcile.yml",
            ]
            subprocess.run(command, check=True, stdout=payload)
        work = ["work", "submit", "ansible-runner", "--node", self.node, "--payload", str(sent)]
        place = f"params=--private-data-dir={self.there}"
        with self.results.open("wb") as results:
            self.work = subprocess.Popen(
                mesh.control(*work, "--param", place, "--follow"), stdout=results
            )

    def process(self) -> list[Json]:
        """Wait for the results, keep them as a controller does, and return the events."""
        assert self.work.wait(timeout=PATIENCE) == 0
        command = [str(BIN / "ansible-runner"), "process", str(self.here), "--ident", "job"]
        with self.results.open("rb") as results:
            subprocess.run(command, stdin=results, check=True, capture_output=True)
        events = (self.here / "artifacts" / "job" / "job_events").glob("*.json")
        return sorted(
            (json.loads(each.read_text()) for each in events), key=lambda each: each["counter"]
        )


def test_job_in_two_slices_runs_on_two_work_nodes(
    mesh: Mesh, lab: Cluster, client: Client, namespace: str, tmp_path: Path
) -> None:
    services = {node: small(f"chat-{number}", namespace) for number, node in enumerate(NODES)}
    slices = [Slice(tmp_path, lab, node, service) for node, service in services.items()]
    for part in slices:
        part.submit(mesh)
    for part in slices:
        stats = part.process()[-1]
        assert stats["event"] == "playbook_on_stats"
        assert stats["event_data"]["changed"] == {f"cluster-of-{part.node}": 1}, stats
        assert stats["event_data"]["failures"] == {}
        assert (part.here / "artifacts" / "job" / "status").read_text() == "successful"
        assert owned(client, services[part.node])
        # It ran where it was sent to.
        assert list((tmp_path / part.node).rglob("stdout"))
