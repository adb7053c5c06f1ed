# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is killed at any request leaves nothing that the next run cannot put right, without anybody's help.

Each position is one request of a run: the process is killed when the request arrives, or when the server has executed it and the
answer is still on its way. A sample of the positions each time; every one with `make cluster LONG=1 ARGS='-k killed'`.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.faults import AFTER, ALWAYS, BEFORE, Fault, Moment, anything, hang_up
from tests.lab.fixtures import fresh_namespace
from tests.lab.proxy import ConnectionAbort, Proxy
from tests.lab.proxy_record import Record
from tests.long import LONG, often

from .support.cluster import owned, read
from .support.entries import Entries
from .support.processes import Running, lease_of
from .support.services import children, custom_resource, full, small

Json = dict[str, Any]
#: Seconds that the Lease of a killed run lasts.
LEASE_S = 1.0
#: Services at a time, each with runs of its own that are killed.
AT_A_TIME = 4
#: Every so many positions are tried.
STEP = often(8, long=1)
#: No run takes more requests.
MOST_REQUESTS = 150

Flow = Literal["create", "update", "prune", "delete"]


@dataclass
class Life:
    """One service from its creation to its end, in which each run is killed once and done again.

    ended: for each flow the position at which a run was over before it could be killed.
    """

    lab: Cluster
    namespace: str
    moment: Moment
    ended: dict[str, int] = field(default_factory=dict)

    @property
    def client(self) -> Client:
        return self.lab.client

    def live(self, positions: Mapping[Flow, int]) -> None:
        """Go through all flows, each killed at its position."""
        self._flow("create", positions, full("chat", self.namespace))
        other = {"image": "registry.example.com/serving/vllm:0.12.0"}
        self._flow("update", positions, full("chat", self.namespace, engine=other))
        less = small("chat", self.namespace, engine=other)
        self._flow("prune", positions, less, max_deletions=50)
        self._flow("delete", positions, less, state="absent")

    def _flow(
        self, flow: Flow, positions: Mapping[Flow, int], service: Json, **options: Any
    ) -> None:
        position = positions[flow]
        if not self._killed(position, service, **options):
            self.ended[flow] = position
        entries = Entries(self.lab.kubeconfig)
        where = f"{flow}, killed {self.moment} request {position}"
        result = entries.run(service, **options)
        assert not result.get("failed"), f"{where}: {result['msg']}"
        again = entries.run(service, **options)
        assert not again.get("failed"), f"{where}: {again['msg']}"
        assert not again["changed"], where
        assert owned(self.client, service).keys() == self._wanted(flow), where
        # Where the killed run had written everything the next one needs no Lease, and the old one has run out.
        if result["stats"]["lease_requests"]:
            assert read(self.client, lease_of(self.namespace)) is None, f"{where}: a Lease is left"
        if flow == "delete":
            assert read(self.client, custom_resource(service)) is None, where

    def _killed(self, position: int, service: Json, **options: Any) -> bool:
        begun: list[Running] = []

        async def kill(_request: Record) -> None:
            begun[0].signal(signal.SIGKILL)
            raise ConnectionAbort

        strike = Fault(anything, kill, moment=self.moment, skip=position - 1)
        dead = Fault(lambda dummy: strike.struck, hang_up, times=ALWAYS)
        with Proxy(self.lab, hooks=[dead, strike], keep_bodies=False) as proxy:
            begun.append(Running(proxy.kubeconfig, service, lease=LEASE_S, **options))
            result = begun[0].result()
        if strike.struck and result is None:
            return True
        assert result is not None
        assert not result.get("failed"), result
        return False

    def _wanted(self, flow: Flow) -> set[str]:
        names = {
            f"{each['kind']}/{each['metadata']['name']}"
            for each in children("chat", self.namespace)
        }
        if flow in ("create", "update"):
            return names
        return (names & SMALL) if flow == "prune" else set()


#: What is left of a full service that becomes a small one.
SMALL = {
    "ServiceAccount/chat-epp",
    "ConfigMap/chat-epp-config",
    "Service/chat-epp",
    "Role/chat-epp",
    "RoleBinding/chat-epp",
    "Deployment/chat-decode",
    "Deployment/chat-epp",
    "InferencePool/chat",
    "HTTPRoute/chat",
    "DestinationRule/chat-epp",
}
FLOWS: tuple[Flow, ...] = ("create", "update", "prune", "delete")


def at(lab: Cluster, positions: Mapping[Flow, int], moment: Moment) -> Life:
    """Live through one life in a namespace of its own."""
    with fresh_namespace(lab.client, "killed") as namespace:
        life = Life(lab, namespace, moment)
        life.live(positions)
        return life


#: A killed client breaks its connections off; the proxy's own may then be in the middle of a handshake.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("moment", [BEFORE, AFTER], ids=["R17-arriving", "R17-executed"])
def test_killed_at_any_request_the_next_run_converges(lab: Cluster, moment: Moment) -> None:
    tried: dict[str, int] = dict.fromkeys(FLOWS, 0)
    offset = 0 if moment == BEFORE else STEP // 2
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        position = 1 + offset
        while position < MOST_REQUESTS:
            wave = [
                {flow: position + STEP * turn + shift for shift, flow in enumerate(FLOWS)}
                for turn in range(AT_A_TIME)
            ]
            lives = [pool.submit(at, lab, positions, moment) for positions in wave]
            ended = [life.result().ended for life in lives]
            for flow in FLOWS:
                tried[flow] += sum(flow not in each for each in ended)
            if all(len(each) == len(FLOWS) for each in ended):
                break
            position += STEP * AT_A_TIME
        else:
            pytest.fail("the runs do not end")
    print(f"killed {moment} a request: {tried}")
    assert all(count >= (30 if LONG else 3) for count in tried.values()), tried
