# SPDX-License-Identifier: GPL-3.0-or-later
"""Autoscalers that a service no longer wants go, however long that takes; and only where there may be some are they looked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.faults import ALWAYS, Fault, refuse, seen
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.llm_services import API_VERSION, llm, prepare
from .support.places import knowing, own_namespace

Json = dict[str, Any]
KINDS = "inference.modelops.io/kinds"
SCALING = {"minReplicas": 1, "maxReplicas": 3, "wva": {"hpa": {}}}
OPTIONS = {"releases": {"kserve": "0.21"}}

client = knowing(prepare)
place = own_namespace("scaled")


def scaled(place: str, **spec: Any) -> Json:
    """Return a service without replicas of its own."""
    service = llm("chat", place, **spec)
    service["spec"].pop("replicas")
    return service


def autoscaler(place: str) -> Json:
    """Return a reference to the autoscaler."""
    return thing("autoscaling/v2", "HorizontalPodAutoscaler", "chat-kserve-hpa", place)


def noted(client: Client, place: str) -> str | None:
    """Return which kinds of children the custom resource notes."""
    live = there(client, llm("chat", place))
    found: str | None = live["metadata"]["annotations"].get(KINDS)
    return found


def _kept(lab: Cluster, service: Json) -> None:
    """The author keeps what is no longer wanted."""
    Entries(lab.kubeconfig).reconcile(service, prune=False, **OPTIONS)


def _failed(lab: Cluster, service: Json) -> None:
    """The deletion is refused."""
    gone = Fault(seen("delete", "horizontalpodautoscalers"), refuse(403, "Forbidden"), times=ALWAYS)
    with Proxy(lab, hooks=[gone]) as proxy:
        assert Entries(proxy.kubeconfig).run(service, **OPTIONS)["failed"]
    assert gone.struck


@pytest.mark.parametrize("left", [_kept, _failed])
def test_an_autoscaler_that_a_run_left_goes_with_the_next(
    entries: Entries,
    lab: Cluster,
    client: Client,
    place: str,
    left: Callable[[Cluster, Json], None],
) -> None:
    entries.reconcile(scaled(place, scaling=SCALING), **OPTIONS)
    assert noted(client, place) == "HorizontalPodAutoscaler"
    service = scaled(place)
    left(lab, service)
    assert there(client, autoscaler(place))
    assert noted(client, place) == "HorizontalPodAutoscaler"
    result = entries.reconcile(service, **OPTIONS)
    assert actions(result) == {"HorizontalPodAutoscaler/chat-kserve-hpa": "deleted"}
    assert not entries.reconcile(service, **OPTIONS)["changed"]


def test_an_autoscaler_goes_that_only_a_preset_asked_for(
    entries: Entries, client: Client, place: str
) -> None:
    preset = thing(API_VERSION, "LLMInferenceServiceConfig", "own", place, spec={"replicas": 1})
    service = scaled(place, baseRefs=[{"name": "own"}])
    client.apply(preset)
    entries.reconcile(service, **OPTIONS)
    assert noted(client, place) == ""
    client.apply({**preset, "spec": {"scaling": SCALING}})
    entries.reconcile(service, **OPTIONS)
    assert there(client, autoscaler(place))
    assert noted(client, place) == "HorizontalPodAutoscaler"
    client.apply(preset)
    entries.reconcile(service, **OPTIONS)
    assert read(client, autoscaler(place)) is None


def test_autoscalers_are_looked_for_where_nothing_says_that_there_are_none(
    entries: Entries, client: Client, place: str
) -> None:
    """As of a service that an earlier version of the collection made, or whose custom resource went without its children."""
    service = scaled(place)
    entries.reconcile(scaled(place, scaling=SCALING), **OPTIONS)
    entries.reconcile(service, prune=False, **OPTIONS)
    client.patch(llm("chat", place), {"metadata": {"annotations": {KINDS: None}}})
    entries.reconcile(service, **OPTIONS)
    assert read(client, autoscaler(place)) is None
