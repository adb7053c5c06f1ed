# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is killed at any request leaves nothing that the next run cannot put right, without anybody's help.

Each position is one request of a run: the process is killed when the request arrives, or when the server has executed it and the
answer is still on its way. A sample of the positions each time; every one with `make cluster LONG=1 ARGS='-k killed'`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.faults import AFTER, BEFORE, Moment
from tests.lab.fixtures import fresh_namespace
from tests.long import LONG, often

from .support.cluster import owned, read
from .support.entries import Entries
from .support.killed import Positions, is_killed
from .support.processes import lease_of
from .support.services import children, custom_resource, full, small

POSITIONS = Positions(at_a_time=4, step=often(8, long=1), most=150)

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

    def live(self, positions: Mapping[str, int]) -> None:
        """Go through all flows, each killed at its position."""
        self._flow("create", positions, full("chat", self.namespace))
        other = {"image": "registry.example.com/serving/vllm:0.12.0"}
        self._flow("update", positions, full("chat", self.namespace, engine=other))
        less = small("chat", self.namespace, engine=other)
        self._flow("prune", positions, less, max_deletions=50)
        self._flow("delete", positions, less, state="absent")

    def _flow(
        self, flow: Flow, positions: Mapping[str, int], service: Json, **options: Any
    ) -> None:
        position = positions[flow]
        if not is_killed(self.lab, self.moment, position, service, **options):
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


def at(lab: Cluster, positions: Mapping[str, int], moment: Moment) -> Mapping[Flow, int]:
    """Live through one life in a namespace of its own, and return the flows that were over before they could be killed."""
    with fresh_namespace(lab.client, "killed") as namespace:
        life = Life(lab, namespace, moment)
        life.live(positions)
        return life.ended


#: A killed client breaks its connections off; the proxy's own may then be in the middle of a handshake.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("moment", [BEFORE, AFTER], ids=["R17-arriving", "R17-executed"])
def test_killed_at_any_request_the_next_run_converges(lab: Cluster, moment: Moment) -> None:
    tried = POSITIONS.tried(FLOWS, moment, lambda positions: at(lab, positions, moment))
    print(f"killed {moment} a request: {tried}")
    assert all(count >= (30 if LONG else 3) for count in tried.values()), tried
