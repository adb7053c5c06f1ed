# SPDX-License-Identifier: GPL-3.0-or-later
"""A set whose installation, upgrade or removal is killed at any request is put right by the next run, and nothing of it is left behind.

A sample of the positions each time; every one with `make cluster LONG=1 ARGS='-k killed'`.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from tests.lab.cluster import Cluster
from tests.lab.faults import AFTER, ALWAYS, BEFORE, Fault, Moment, anything, hang_up
from tests.lab.fixtures import fresh_namespace
from tests.lab.proxy import ConnectionAbort, Proxy
from tests.lab.proxy_record import Record
from tests.long import LONG, often

from .support.bundles import config, crd, deployment, named, service
from .support.entries import Entries
from .support.processes import Running

Json = dict[str, Any]
Flow = Literal["install", "upgrade", "remove"]
FLOWS: tuple[Flow, ...] = ("install", "upgrade", "remove")
#: Seconds that the Lease of a killed run lasts.
LEASE_S = 1.0
#: Sets at a time, each with runs of its own that are killed.
AT_A_TIME = 3
#: Every so many positions are tried.
STEP = often(9, long=1)
#: No run takes more requests.
MOST_REQUESTS = 120


def release(namespace: str) -> list[Json]:
    """Return a small bundle."""
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    return [
        crd(f"{namespace}.example.com"),
        named("rbac.authorization.k8s.io/v1", "ClusterRole", namespace, rules=rules),
        config("stays", namespace, a="1"),
        config("goes", namespace, a="1"),
        service("web", namespace),
        deployment("web", namespace),
        named(f"{namespace}.example.com/v1", "Widget", "w", namespace, spec={}),
    ]


def later(namespace: str) -> list[Json]:
    """Return its next release: two versions of the CRD, one object less, one more, another image."""
    before = release(namespace)
    image = "registry.example.com/m:2"
    return [
        crd(f"{namespace}.example.com", versions=("v1", "v2")),
        *(each for each in before[1:] if each["metadata"]["name"] not in ("goes", "web")),
        config("comes", namespace, a="1"),
        service("web", namespace),
        deployment("web", namespace, image),
    ]


@dataclass
class Life:
    """One set from its installation to its removal, in which each run is killed once and done again.

    ended: for each flow the position at which a run was over before it could be killed.
    """

    lab: Cluster
    namespace: str
    moment: Moment
    ended: dict[str, int] = field(default_factory=dict)

    def live(self, positions: Mapping[Flow, int]) -> None:
        """Go through all flows, each killed at its position."""
        bundles = {"install": release(self.namespace), "upgrade": later(self.namespace)}
        for flow in ("install", "upgrade"):
            bundle = bundles[flow]
            self._run(flow, positions[flow], definition=bundle)
            found = self._entries.applyset(state="gathered", definition=bundle, **self._place)
            where = f"{flow}, killed {self.moment} request {positions[flow]}"
            assert found["drift"] == [], where
            assert len(found["members"]) == len(bundle), where
        self._run("remove", positions["remove"], state="absent", keep_crds=False)
        for each in [*bundles["install"], *bundles["upgrade"]]:
            where = f"{each['kind']} is left, killed {self.moment} request {positions['remove']}"
            if each["kind"] != "Widget":
                assert self._there(each) is None, where

    @property
    def _entries(self) -> Entries:
        return Entries(self.lab.kubeconfig)

    @property
    def _place(self) -> Json:
        return {"name": "demo", "namespace": self.namespace}

    def _run(self, flow: Flow, position: int, **options: Any) -> None:
        given = {**self._place, "wait_timeout": 60.0, **options}
        if not self._killed(position, given):
            self.ended[flow] = position
        where = f"{flow}, killed {self.moment} request {position}"
        result = self._entries.applyset(**given)
        assert not result.get("failed"), f"{where}: {result['msg']}"
        again = self._entries.applyset(**given)
        assert not again.get("failed"), f"{where}: {again['msg']}"
        assert not again["changed"], f"{where}: {again['objects']}"

    def _killed(self, position: int, options: Json) -> bool:
        begun: list[Running] = []

        async def kill(_request: Record) -> None:
            begun[0].signal(signal.SIGKILL)
            raise ConnectionAbort

        strike = Fault(anything, kill, moment=self.moment, skip=position - 1)
        dead = Fault(lambda dummy: strike.struck, hang_up, times=ALWAYS)
        with Proxy(self.lab, hooks=[dead, strike], keep_bodies=False) as proxy:
            begun.append(Running(proxy.kubeconfig, lease=LEASE_S, task="applyset", **options))
            result = begun[0].result()
        if strike.struck and result is None:
            return True
        assert result is not None
        assert not result.get("failed"), result
        return False

    def _there(self, manifest: Json) -> Json | None:
        metadata = manifest["metadata"]
        place = metadata.get("namespace", "")
        client = self.lab.client
        return client.get(manifest["apiVersion"], manifest["kind"], metadata["name"], place)


def at(lab: Cluster, positions: Mapping[Flow, int], moment: Moment) -> Life:
    """Live through one life in a namespace of its own."""
    with fresh_namespace(lab.client, "cut") as namespace:
        life = Life(lab, namespace, moment)
        life.live(positions)
        return life


#: A killed client breaks its connections off; the proxy's own may then be in the middle of a handshake.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("moment", [BEFORE, AFTER], ids=["arriving", "executed"])
def test_killed_at_any_request_of_a_set_the_next_run_converges(
    lab: Cluster, moment: Moment
) -> None:
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
    assert all(count >= (25 if LONG else 3) for count in tried.values()), tried
