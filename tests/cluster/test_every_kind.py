# SPDX-License-Identifier: GPL-3.0-or-later
"""What is promised of every kind alike: services get ready, cost nothing once they are settled, are found, told and removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from tests.lab.client import Client
from tests.lab.faults import writes
from tests.lab.proxy import Proxy
from tests.long import often

from .support import caches, graphs, inference_services, llm_services, services
from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.places import knowing, own_namespace

Json = dict[str, Any]
FLEET, FEW = often(20, long=100), often(4, long=100)
WAIT = {"wait": True, "wait_timeout": 120.0}


@dataclass(frozen=True)
class Sample:
    """A service of a kind. make: it, by name and namespace. children: a reference to each of its children.

    said: some of what its status says, with `{place}` for its namespace. written: it, with something that is stored otherwise. idle: what
    its spec says where nothing of it runs; without it a fleet is waited for. beside: what it leads to. requests: of a settled fleet, for a
    list of each kind and what all services share, whatever the release. options: of every task; around: makes more of them for a test.
    """

    make: Callable[..., Json]
    children: Callable[[str, str], list[Json]]
    said: Mapping[str, str]
    written: Mapping[str, Any] = field(default_factory=dict)
    idle: Mapping[str, Any] = field(default_factory=dict)
    beside: Callable[[str], list[Json]] = lambda dummy: []
    requests: int = 20
    options: Mapping[str, Any] = field(default_factory=dict)
    around: Callable[[Client, str], AbstractContextManager[Json]] = lambda *dummy: nullcontext({})

    def left(self, client: Client, name: str, place: str) -> list[Json]:
        """Return what there is of a service."""
        own = services.custom_resource(self.make(name, place))
        return [each for each in (own, *self.children(name, place)) if read(client, each)]

    def gone(self, client: Client, name: str, place: str) -> None:
        """Wait until nothing of a service is left: volumes go once their claims have."""
        for each in self.left(client, name, place):
            client.wait_for(each, lambda found: found is None)


_ISVC = {"settings": inference_services.SETTINGS}
SAMPLES = {
    "ModelService": Sample(
        services.small,
        lambda name, place: [services.deployment(f"{name}-decode", place)],
        {"phase": "Ready"},
        written={"decode": {"replicas": 2}},
    ),
    "LLMInferenceService": Sample(
        llm_services.routed,
        llm_services.children,
        {"url": "http://192.0.2.1/{place}/chat"},
        written={"prefill": {"replicas": 1}},
        idle={"replicas": 0},
    ),
    "InferenceService": Sample(
        inference_services.isvc,
        inference_services.children,
        {
            "url": "http://chat-{place}.example.com",
            "clusterServingRuntimeName": inference_services.RUNTIME,
            "deploymentMode": "Standard",
        },
        written={"annotations": {"serving.kserve.io/deploymentMode": "RawDeployment"}},
        options=_ISVC,
    ),
    "InferenceGraph": Sample(
        graphs.graph,
        graphs.children,
        {"url": "http://chat-{place}.example.com"},
        written={"minReplicas": 2},
        beside=lambda place: [inference_services.isvc("iris", place)],
        requests=8,
        options=_ISVC,
    ),
    "LocalModelCache": Sample(
        caches.of_test,
        caches.children,
        {},
        written={"modelSize": "1024Mi"},
        around=caches.on_a_node,
    ),
    "LocalModelNamespaceCache": Sample(
        caches.of_namespace,
        caches.children_of_namespace,
        {},
        written={"modelSize": "1024Mi"},
        around=caches.on_a_node,
    ),
}

client = knowing(llm_services.prepare, graphs.prepare, caches.prepare)
place = own_namespace("every")


@pytest.fixture(params=SAMPLES)
def sample(
    request: pytest.FixtureRequest, entries: Entries, client: Client, place: str
) -> Iterator[Sample]:
    """Each kind, with what its services lead to in the namespace of the test."""
    found = SAMPLES[request.param]
    if beside := found.beside(place):
        entries.reconcile(*beside, **found.options, **WAIT)
    with found.around(client, place) as more:
        yield replace(found, options={**found.options, **more})


def test_a_service_gets_ready_and_a_second_run_writes_nothing(
    counted: Entries, client: Client, proxy: Proxy, place: str, sample: Sample
) -> None:
    service = sample.make("chat", place)
    first = counted.reconcile(service, **sample.options, **WAIT)
    assert set(actions(first).values()) == {"created"}
    assert first["services"][0]["ready"]
    for each in sample.children("chat", place):
        there(client, each)
    status = there(client, services.custom_resource(service))["status"]
    assert {key: status.get(key) for key in sample.said} == {
        key: text.format(place=place) for key, text in sample.said.items()
    }
    proxy.reset()
    second = counted.reconcile(service, **sample.options)
    assert not second["changed"]
    assert second["services"][0]["ready"]
    assert second["stats"]["rounds"] == 1
    assert there(client, services.custom_resource(service))["status"] == status
    assert proxy.count(writes()) == 0


def test_a_settled_fleet_of_any_size_costs_so_many_looks(
    counted: Entries, proxy: Proxy, place: str, sample: Sample
) -> None:
    assert _settled(counted, proxy, place, sample) <= sample.requests


@pytest.mark.parametrize("release", list(KServe)[1:])
@pytest.mark.parametrize("kind", ["LLMInferenceService", "InferenceService"])
def test_a_settled_fleet_costs_so_many_looks_under_every_release(
    counted: Entries, proxy: Proxy, place: str, kind: str, release: KServe
) -> None:
    sample = SAMPLES[kind]
    found = _settled(counted, proxy, place, sample, FEW, releases={"kserve": str(release)})
    assert found <= sample.requests


def _settled(
    counted: Entries, proxy: Proxy, place: str, sample: Sample, size: int = FLEET, **more: Any
) -> int:
    """Make a fleet and return the requests of a run that finds nothing to do."""
    fleet = [sample.make(f"chat-{number}", place, **sample.idle) for number in range(size)]
    options = {**sample.options, **more}
    counted.reconcile(*fleet, fit="ignore", **options, **({} if sample.idle else WAIT))
    while counted.reconcile(*fleet, **options)["stats"]["writes"]:
        pass
    proxy.reset()
    assert not counted.reconcile(*fleet, **options)["changed"]
    assert proxy.count(writes()) == 0
    return proxy.requests


def test_a_prediction_writes_nothing_and_says_what_a_run_does(
    entries: Entries, client: Client, place: str, sample: Sample
) -> None:
    service = sample.make("chat", place)
    predicted = entries.reconcile(service, check_mode=True, diff=True, **sample.options)
    assert sample.left(client, "chat", place) == []
    assert predicted["changed"]
    assert actions(predicted) == actions(entries.reconcile(service, **sample.options))


def test_everything_of_a_service_goes_with_it(
    entries: Entries, client: Client, place: str, sample: Sample
) -> None:
    service = sample.make("chat", place)
    entries.reconcile(service, **sample.options)
    assert entries.reconcile(service, state="absent", **sample.options, **WAIT)["changed"]
    sample.gone(client, "chat", place)


def test_a_service_is_gathered_as_it_was_written(
    entries: Entries, place: str, sample: Sample
) -> None:
    service = sample.make("chat", place, **sample.written)
    entries.reconcile(service, **sample.options)
    (found,) = entries.reconcile(service, state="gathered", **sample.options)["gathered"]
    assert found == service


def test_a_look_tells_drift_and_writes_nothing(
    counted: Entries, client: Client, proxy: Proxy, place: str, sample: Sample
) -> None:
    service = sample.make("chat", place)
    counted.reconcile(service, **sample.options)
    (gone, *dummy) = [
        each for each in sample.children("chat", place) if each["kind"] in ("Deployment", "Job")
    ]
    client.delete(gone)
    client.wait_for(gone, lambda found: found is None)
    proxy.reset()
    (found,) = counted.info(service, **sample.options)["services"]
    drift = [(each["kind"], each["name"]) for each in found["drift"]]
    assert drift == [(gone["kind"], gone["metadata"]["name"])]
    assert found["reconciler"] == "direct"
    assert proxy.count(writes()) == 0


def test_what_the_list_no_longer_names_goes(
    entries: Entries, client: Client, place: str, sample: Sample
) -> None:
    fleet = {"fleet": place, "state": "overridden", "max_deletions": 50, **sample.options}
    kept = sample.make("chat", place)
    entries.reconcile(kept, sample.make("code", place), **fleet)
    entries.reconcile(kept, **fleet, **WAIT)
    sample.gone(client, "code", place)
    assert read(client, services.custom_resource(kept)) is not None
