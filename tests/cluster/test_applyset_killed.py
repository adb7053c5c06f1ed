# SPDX-License-Identifier: GPL-3.0-or-later
"""A set whose installation, upgrade or removal is killed at any request is put right by the next run, and nothing of it is left behind.

A sample of the positions each time; every one with `make cluster LONG=1 ARGS='-k killed'`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from module_utils.kube.manifest import Json
from tests.lab.cluster import Cluster
from tests.lab.faults import AFTER, BEFORE, Moment
from tests.lab.fixtures import fresh_namespace
from tests.long import LONG, often
from tests.objects import thing

from .support.bundles import config, crd, deployment, service
from .support.entries import Entries
from .support.killed import Positions, is_killed

Flow = Literal["install", "upgrade", "remove"]
FLOWS: tuple[Flow, ...] = ("install", "upgrade", "remove")
#: The shortest run, a removal, takes some 22 requests, so that each flow is killed at three of them at least.
POSITIONS = Positions(at_a_time=3, step=often(6, long=1), most=120)


def release(namespace: str) -> list[Json]:
    """Return a small bundle."""
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    return [
        crd(f"{namespace}.example.com"),
        thing("rbac.authorization.k8s.io/v1", "ClusterRole", namespace, rules=rules),
        config("stays", namespace, a="1"),
        config("goes", namespace, a="1"),
        service("web", namespace),
        deployment("web", namespace),
        thing(f"{namespace}.example.com/v1", "Widget", "w", namespace, spec={}),
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

    def live(self, positions: Mapping[str, int]) -> None:
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
        if not is_killed(self.lab, self.moment, position, task="applyset", **given):
            self.ended[flow] = position
        where = f"{flow}, killed {self.moment} request {position}"
        result = self._entries.applyset(**given)
        assert not result.get("failed"), f"{where}: {result['msg']}"
        again = self._entries.applyset(**given)
        assert not again.get("failed"), f"{where}: {again['msg']}"
        assert not again["changed"], f"{where}: {again['objects']}"

    def _there(self, manifest: Json) -> Json | None:
        metadata = manifest["metadata"]
        place = metadata.get("namespace", "")
        client = self.lab.client
        return client.get(manifest["apiVersion"], manifest["kind"], metadata["name"], place)


def at(lab: Cluster, positions: Mapping[str, int], moment: Moment) -> Mapping[Flow, int]:
    """Live through one life in a namespace of its own, and return the flows that were over before they could be killed."""
    with fresh_namespace(lab.client, "cut") as namespace:
        life = Life(lab, namespace, moment)
        life.live(positions)
        return life.ended


#: A killed client breaks its connections off; the proxy's own may then be in the middle of a handshake.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("moment", [BEFORE, AFTER], ids=["arriving", "executed"])
def test_killed_at_any_request_of_a_set_the_next_run_converges(
    lab: Cluster, moment: Moment
) -> None:
    tried = POSITIONS.tried(FLOWS, moment, lambda positions: at(lab, positions, moment))
    print(f"killed {moment} a request: {tried}")
    assert all(count >= (25 if LONG else 3) for count in tried.values()), tried
