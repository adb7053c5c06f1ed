# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of one fleet at the same time, in processes of their own: their writes never mix, and the last one's intent is what stays.

A few rounds each time; a hundred with `make cluster LONG=1 ARGS='-k side_by_side'`.
"""

from __future__ import annotations

import asyncio
import random
import signal
import threading
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from module_utils.cluster.lease import Lease
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.faults import Fault, anything, delay, writes
from tests.lab.proxy import Proxy
from tests.lab.proxy_record import Record
from tests.long import often

from .support.cluster import owned, read
from .support.entries import Entries
from .support.processes import Running, lease_of
from .support.services import children, full, small

#: Seconds: how far apart runs begin; where one is robbed how long Leases last, and how long it stands still.
WITHIN_S, LEASE_S, ASLEEP_S = 1.0, 4.0, 9.0
#: What a run may end with that could not have its turn.
NO_TURN = ("is held by", "was taken by")


@dataclass
class Noted:
    """Notes the writes of one run that were carried out, in the order in which they arrived, among those of all runs."""

    number: int
    log: list[tuple[int, Record]]

    async def before(self, request: Record) -> None:
        """Note each write."""
        if writes()(request):
            self.log.append((self.number, request))

    async def after(self, request: Record, status: int) -> None:
        """The record keeps the status."""


def turns(log: list[tuple[int, Record]]) -> list[int]:
    """Return which runs wrote, each turn once."""
    writers = [number for number, request in log if request.status < 400]
    return [each for place, each in enumerate(writers) if place == 0 or writers[place - 1] != each]


def asleep(begun: list[Running]) -> Fault:
    """Let a run stand still in the middle of its writes, longer than its Lease lasts."""

    async def stop(_request: Record) -> None:
        begun[0].signal(signal.SIGSTOP)
        asyncio.get_running_loop().call_later(ASLEEP_S, begun[0].signal, signal.SIGCONT)

    return Fault(writes(), stop, skip=2)


def image(number: int) -> str:
    return f"registry.example.com/serving/vllm:{number}"


def fleet(namespace: str, number: int) -> list[Json]:
    """Return the services as one of the runs wants them."""
    return [small(name, namespace, engine={"image": image(number)}) for name in ("one", "two")]


def images(client: Client, namespace: str) -> set[str]:
    """Return the engine images that are in use."""
    found = client.list_all("apps/v1", "Deployment", namespace)
    containers = [each for item in found for each in item["spec"]["template"]["spec"]["containers"]]
    return {each["image"] for each in containers if each["name"] == "vllm"}


def side_by_side(lab: Cluster, namespace: str, dice: random.Random, *, robbed: bool) -> list[int]:
    """Start 2 to 8 runs within a moment, wait for all and return their turns. robbed: the first loses its Lease while it writes."""
    log: list[tuple[int, Record]] = []
    runs: list[Running] = []
    # One connection: what a run has sent when it is stopped is one write, and all others come after its check.
    options: Json = {"lease": LEASE_S, "concurrency": 1} if robbed else {}
    with ExitStack() as stack:
        for number in range(dice.randint(2, 8)):
            late = Fault(anything, delay(dice.uniform(0, WITHIN_S)))
            hooks = [Noted(number, log), asleep(runs) if robbed and number == 0 else late]
            proxy = stack.enter_context(Proxy(lab, hooks=hooks, keep_bodies=False))
            runs.append(Running(proxy.kubeconfig, *fleet(namespace, number), **options))
        results = [run.result() for run in runs]
    for result in results:
        assert result is not None
        if result.get("failed"):
            assert any(text in result["msg"] for text in NO_TURN), result["msg"]
    return turns(log)


@pytest.mark.parametrize("robbed", [False, True], ids=["R19-in-turn", "R19-robbed"])
def test_runs_side_by_side_never_mix_their_writes(
    lab: Cluster, entries: Entries, client: Client, bare_namespace: str, robbed: bool
) -> None:
    dice = random.Random(19)
    for round_ in range(often(1 if robbed else 2, long=50)):
        order = side_by_side(lab, bare_namespace, dice, robbed=robbed)
        assert len(order) == len(set(order)), f"round {round_}: writes of two runs mix: {order}"
        assert len(images(client, bare_namespace)) == 1, f"round {round_}: a mixture is left"
        last = fleet(bare_namespace, order[-1])
        assert images(client, bare_namespace) == {image(order[-1])}
        assert not entries.reconcile(*last)["changed"]
        assert read(client, lease_of(bare_namespace)) is None
        entries.reconcile(*fleet(bare_namespace, 99))


def lease_of_another_run(namespace: str) -> Json:
    spec = {
        "holderIdentity": "elsewhere_1_abc",
        "leaseDurationSeconds": 600,
        "acquireTime": "2026-01-01T00:00:00.000000Z",
        "renewTime": "2026-01-01T00:00:00.000000Z",
    }
    return {**lease_of(namespace), "spec": spec}


def test_second_run_at_the_same_time_waits_and_then_says_who_writes(
    entries: Entries, client: Client, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = dict(Lease.__init__.__kwdefaults__ or {})
    monkeypatch.setattr(Lease.__init__, "__kwdefaults__", {**defaults, "timeout": 1.0})
    client.create(lease_of_another_run(namespace))
    service = full("chat", namespace)
    message = entries.refused(service)
    assert "elsewhere_1_abc" in message
    assert "modelops-inference-default" in message
    assert owned(client, service) == {}


def test_threads_side_by_side_make_one_service(
    lab: Cluster, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries = Entries(lab.kubeconfig)
    results: list[Json] = []
    threads = [
        threading.Thread(target=lambda: results.append(entries.run(service))) for dummy in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.get("msg") for result in results if result.get("failed")] == []
    assert len(owned(client, service)) == len(children("chat", namespace))
    assert not entries.reconcile(service)["changed"]
    assert read(client, lease_of(namespace)) is None
