# SPDX-License-Identifier: GPL-3.0-or-later
"""P14: how many requests each thing costs. A change that costs more shows here, on every machine; one that costs less is written down.

Requests are counted at the proxy. Those to Leases are left out: a slow run renews them. A kind is one LIST, whatever the fleet's size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.lab import crds
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.crd_sources import KSERVE_NEIGHBOURS
from tests.lab.faults import writes
from tests.lab.proxy import Proxy

from .support.entries import Entries
from .support.services import children, full, reference, small

Json = dict[str, Any]
#: Kinds of children, and the custom resource.
KINDS = 15
#: What checks read where something changes: autoscalers of two kinds, quotas, the namespace, and the account of its pods.
CHECKED = 5
CHILDREN = len(children("chat", "any"))


@pytest.fixture(autouse=True)
def _keda(lab: Cluster) -> None:
    """KEDA is there, whatever other tests have installed: a kind that is missing costs a look at its group."""
    crds.install(lab.client, crds.documents(KSERVE_NEIGHBOURS))


class Cost(NamedTuple):
    """What a run sent: all requests, and the writes among them."""

    requests: int
    writes: int


class Meter:
    """Runs tasks and tells what each cost."""

    def __init__(self, entries: Entries, proxy: Proxy) -> None:
        self._entries = entries
        self._proxy = proxy

    def cost(self, *services: Json, **options: Any) -> Cost:
        """Run llmisvc_reconcile, which has to succeed."""
        self._proxy.reset()
        self._entries.reconcile(*services, **options)
        leases = self._proxy.count(lambda each: each.resource.plural == "leases")
        cost = Cost(self._proxy.requests - leases, self._proxy.count(writes()))
        statuses = self._proxy.count(lambda each: each.resource.subresource == "status")
        assert leases >= 2 or cost.writes <= statuses, "it was written without a Lease"
        return cost

    def settle(self, *services: Json) -> None:
        """Run until the services are ready and their statuses say so."""
        self._entries.reconcile(*services, wait=True, wait_timeout=120.0)
        while self.cost(*services).writes:
            pass


def test_one_service_costs_what_it_did(
    counted: Entries, proxy: Proxy, client: Client, namespace: str
) -> None:
    meter = Meter(counted, proxy)
    service = full("chat", namespace)
    changed = full("chat", namespace, engine={"image": "registry.example.com/e:2"})
    picker = reference("v1", "Service", "chat-epp", namespace)
    deployment = reference("apps/v1", "Deployment", "chat-epp", namespace)
    found: dict[str, Cost] = {}
    found["check mode of a create"] = meter.cost(service, check_mode=True)
    found["create"] = meter.cost(service)
    meter.settle(service)
    found["no-op"] = meter.cost(service)
    found["check mode of a no-op"] = meter.cost(service, check_mode=True)
    client.patch(picker, {"spec": {"selector": {"inferencepool": "other"}}})
    found["one field of one child"] = meter.cost(service)
    meter.settle(service)
    client.patch(deployment, {"metadata": {"labels": {"app.kubernetes.io/managed-by": "other"}}})
    found["one label of a Deployment"] = meter.cost(service)
    meter.settle(service)
    found["one field of the service"] = meter.cost(changed)
    meter.settle(changed)
    found["delete"] = meter.cost(changed, state="absent")
    found["delete of nothing"] = meter.cost(changed, state="absent")
    assert found == {
        # A look at what is there; in check mode at the Gateway, too, whose address the result tells.
        "no-op": Cost(KINDS, 0),
        "check mode of a no-op": Cost(KINDS + 1 + CHECKED, 0),
        # The look; whether the names are free, the namespace there, the controller seen, the gateway known; each object dry.
        "check mode of a create": Cost(57 + CHECKED, 0),
        # The look twice, all those questions, the rights; each object and the status.
        "create": Cost(74 + CHECKED, CHILDREN + 2),
        "one field of one child": Cost(35 + CHECKED, 1),
        # The mark of what was taken back raises the generation, but the pods stay, and so does the status.
        "one label of a Deployment": Cost(35 + CHECKED, 1),
        # The custom resource, the two Deployments that hold the image, and the status.
        "one field of the service": Cost(39 + CHECKED, 4),
        "delete": Cost(50, CHILDREN + 1),
        "delete of nothing": Cost(KINDS + 1, 0),
    }


def test_twenty_services_cost_no_more_looks_than_one(
    counted: Entries, proxy: Proxy, namespace: str
) -> None:
    meter = Meter(counted, proxy)
    fleet = [small(f"chat-{number}", namespace) for number in range(20)]
    found: dict[str, Cost] = {}
    found["create"] = meter.cost(*fleet)
    meter.settle(*fleet)
    found["no-op"] = meter.cost(*fleet)
    assert found == {
        # Eleven objects and the status of each; the names are looked up by kind.
        "create": Cost(306 + CHECKED, 20 * 12),
        "no-op": Cost(KINDS, 0),
    }
