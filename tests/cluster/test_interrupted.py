# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is killed, or that meets another one, leaves nothing that the next run cannot put right."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace
from tests.lab.proxy import ConnectionAbort, Proxy
from tests.lab.proxy_record import Record

from .support.cluster import owned, read
from .support.entries import Entries
from .support.services import children, custom_resource, full

Json = dict[str, Any]
CHECKOUT = Path(__file__).parents[2]
SCRIPT = """
import json, sys
from pathlib import Path
from tests.cluster.support.entries import Entries
given = json.load(sys.stdin)
result = Entries(Path(given["kubeconfig"])).run(*given["services"], **given["options"])
print(json.dumps(result))
"""
LEASE = "modelops-inference-default"


class Killer:
    """Kills a process when its n-th write of an object arrives, or when that was answered. Leases do not count."""

    def __init__(self, number: int, *, answered: bool) -> None:
        self._number = number
        self._answered = answered
        self._seen = 0
        self.pid = 0
        self.killed = False

    async def before(self, request: Record) -> web.StreamResponse | None:
        if request.is_write and request.resource.plural != "leases":
            self._seen += 1
            if not self._answered:
                self._kill()
        if self.killed:
            raise ConnectionAbort
        return None

    async def after(self, request: Record, status: int) -> web.StreamResponse | None:  # noqa: ARG002
        if self._answered and request.is_write and request.resource.plural != "leases":
            self._kill()
        return None

    def _kill(self) -> None:
        if self._seen >= self._number and not self.killed:
            self.killed = True
            os.kill(self.pid, signal.SIGKILL)


def killed_run(lab: Cluster, killer: Killer, service: Json, **options: Any) -> None:
    """Run a task in a process of its own, through a proxy whose hook kills it."""
    with Proxy(lab, hooks=[killer]) as proxy:
        search = os.pathsep.join([str(CHECKOUT), str(CHECKOUT / "build" / "tree")])
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=CHECKOUT,
            env={**os.environ, "PYTHONPATH": search},
        )
        killer.pid = process.pid
        given = {"kubeconfig": str(proxy.kubeconfig), "services": [service], "options": options}
        said, _nothing = process.communicate(json.dumps(given).encode(), timeout=120)
    assert killer.killed, f"the run ended before it could be killed: {said.decode()[-3000:]}"
    assert process.returncode == -signal.SIGKILL


#: Which write, and whether it is carried out. The first is the custom resource's.
POINTS = [(1, False), (1, True), (4, True), (9, False), (13, True)]


def converges(lab: Cluster, number: int, *, answered: bool) -> None:
    with fresh_namespace(lab.client, "killed") as namespace:
        service = full("chat", namespace)
        killed_run(lab, Killer(number, answered=answered), service)
        wanted = {
            f"{each['kind']}/{each['metadata']['name']}" for each in children("chat", namespace)
        }
        assert set(owned(lab.client, service)) <= wanted
        entries = Entries(lab.kubeconfig)
        entries.reconcile(service)
        assert set(owned(lab.client, service)) == wanted
        assert not entries.reconcile(service)["changed"]


#: A killed client breaks its connections off; the proxy's own may then be in the middle of a handshake.
BROKEN_OFF = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@BROKEN_OFF
def test_killed_at_any_write_next_run_converges(lab: Cluster) -> None:
    """Each waits until the Lease of the dead run has run out, so they wait together."""
    with ThreadPoolExecutor(len(POINTS)) as pool:
        runs = [pool.submit(converges, lab, number, answered=done) for number, done in POINTS]
    for run in runs:
        run.result()
    gc.collect()


@BROKEN_OFF
def test_killed_while_removing_next_run_leaves_nothing(
    lab: Cluster, entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    killed_run(lab, Killer(5, answered=True), service, state="absent")
    assert owned(client, service)
    entries.reconcile(service, state="absent")
    assert read(client, custom_resource(service)) is None
    for child in children("chat", namespace):
        client.wait_for(child, lambda found: found is None)
    gc.collect()


def lease_of_another_run(namespace: str) -> Json:
    spec = {
        "holderIdentity": "elsewhere_1_abc",
        "leaseDurationSeconds": 600,
        "acquireTime": "2026-01-01T00:00:00.000000Z",
        "renewTime": "2026-01-01T00:00:00.000000Z",
    }
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": LEASE, "namespace": namespace},
        "spec": spec,
    }


def test_second_run_at_the_same_time_waits_and_then_says_who_writes(
    entries: Entries, client: Client, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ansible_collections.modelops.inference.plugins.module_utils.cluster.lease import Lease

    defaults = dict(Lease.__init__.__kwdefaults__ or {})
    monkeypatch.setattr(Lease.__init__, "__kwdefaults__", {**defaults, "timeout": 1.0})
    client.create(lease_of_another_run(namespace))
    service = full("chat", namespace)
    message = entries.refused(service)
    assert "elsewhere_1_abc" in message
    assert LEASE in message
    assert owned(client, service) == {}


def test_runs_side_by_side_make_one_service(lab: Cluster, client: Client, namespace: str) -> None:
    service = full("chat", namespace)
    entries = Entries(lab.kubeconfig)
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda dummy: entries.run(service), range(3)))
    assert [result.get("msg") for result in results if result.get("failed")] == []
    assert len(owned(client, service)) == len(children("chat", namespace))
    assert not entries.reconcile(service)["changed"]
    lease = lease_of_another_run(namespace)
    assert read(client, lease) is None
