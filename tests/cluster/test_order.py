# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes before what, what goes back to how it was, and what goes along with its owner."""

from __future__ import annotations

import random

import pytest

from module_utils.engine.apply import Execution
from module_utils.engine.service_plan import ServicePlan
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.faults import writes
from tests.lab.proxy import Proxy

from .support.cluster import owned, read, there
from .support.entries import Entries
from .support.services import CLUSTER_SCOPED, children, custom_resource, full

#: The resources of a full service, stage by stage.
STAGES = (
    {"modelservices"},
    {"serviceaccounts", "roles", "clusterroles"},
    {"configmaps", "secrets", "rolebindings", "clusterrolebindings"},
    {"services"},
    {"deployments"},
    {"inferencepools", "httproutes", "destinationrules", "podmonitors", "servicemonitors"},
)


def stages(proxy: Proxy, *, deleting: bool) -> list[int]:
    """Return the stage of each object that was written, in the order of the writes."""
    written = [
        each.resource.plural
        for each in proxy.records
        if writes()(each)
        and not each.resource.subresource
        and (each.method == "DELETE") is deleting
    ]
    return [next(n for n, stage in enumerate(STAGES) if plural in stage) for plural in written]


@pytest.mark.parametrize("seed", range(3))
def test_r25_stages_keep_their_order_and_within_them_any_order_will_do(
    counted: Entries,
    client: Client,
    proxy: Proxy,
    namespace: str,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    dice = random.Random(seed)
    apply = Execution.apply

    def shuffled(self: Execution, plans: list[ServicePlan]) -> None:
        for plan in plans:
            dice.shuffle(plan.changes)
        apply(self, plans)

    monkeypatch.setattr(Execution, "apply", shuffled)
    service = full("chat", namespace)
    counted.reconcile(service)
    order = stages(proxy, deleting=False)
    assert order == sorted(order)
    assert set(order) == set(range(len(STAGES)))
    assert len(owned(client, service)) == len(children("chat", namespace))
    assert not counted.reconcile(service)["changed"]
    proxy.reset()
    counted.reconcile(service, state="absent")
    order = stages(proxy, deleting=True)
    assert order == sorted(order, reverse=True)


def content(client: Client, service: Json) -> Json:
    """Return what its author sees of each object."""
    objects = {**owned(client, service), "service": there(client, custom_resource(service))}
    return {
        name: {
            **{key: value for key, value in item.items() if key not in ("metadata", "status")},
            "labels": item["metadata"].get("labels"),
            "annotations": {
                key: value
                for key, value in (item["metadata"].get("annotations") or {}).items()
                if not key.startswith("deployment.kubernetes.io/")
            },
        }
        for name, item in objects.items()
    }


def test_r26_applying_the_services_of_before_gives_exactly_the_objects_of_before(
    entries: Entries, client: Client, namespace: str
) -> None:
    before = full("chat", namespace)
    entries.reconcile(before)
    objects = content(client, before)
    (kept,) = entries.reconcile(before, state="gathered")["gathered"]
    after = full(
        "chat",
        namespace,
        engine={"image": "registry.example.com/e:2", "args": ["--max-model-len=4096"]},
        decode={"replicas": 3},
        monitoring={"podMonitor": {"enabled": False}},
        httpRoute={"gatewayRef": {"name": "other", "namespace": "infra"}},
    )
    entries.reconcile(after, max_deletions=50)
    assert content(client, after) != objects
    entries.reconcile(kept)
    assert content(client, before) == objects
    assert not entries.reconcile(before)["changed"]


def test_r27_garbage_collector_takes_what_is_owned_and_nothing_else(
    entries: Entries, client: Client, namespace: str
) -> None:
    """A cluster-scoped child has no owner: one in a namespace would be no owner to the collector, which would take the child at once."""
    service = full("chat", namespace)
    entries.reconcile(service)
    everywhere = [each for each in children("chat", namespace) if each["kind"] in CLUSTER_SCOPED]
    inside = [each for each in children("chat", namespace) if each not in everywhere]
    assert len(everywhere) == 2
    client.delete(custom_resource(service))
    for child in inside:
        client.wait_for(child, lambda found: found is None)
    assert all(read(client, child) for child in everywhere)
    assert entries.reconcile(service, state="absent")["changed"]
    assert not any(read(client, child) for child in everywhere)
