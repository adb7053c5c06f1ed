# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that cannot go on after its first write tells everything that it did, and the next run finishes it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.faults import ALWAYS, Fault, Match, do, refuse, seen, writes
from tests.lab.proxy import Proxy

from .support.cluster import owned, read
from .support.entries import Entries, actions
from .support.processes import Running, lease_of
from .support.services import children, custom_resource, full, small

#: At a time, where a task does not say otherwise.
CONNECTIONS = 8


@contextmanager
def refusing(lab: Cluster, match: Match, *, skip: int = 0) -> Iterator[Entries]:
    """The modules, through a proxy that refuses some requests as forbidden."""
    fault = Fault(match, refuse(403, "Forbidden"), skip=skip, times=ALWAYS)
    with Proxy(lab, hooks=[fault]) as proxy:
        yield Entries(proxy.kubeconfig)
    assert fault.struck, "no such request was sent"


def everything(name: str, namespace: str) -> dict[str, str]:
    """Return what a run that creates a service has to tell."""
    made = {f"{each['kind']}/{each['metadata']['name']}" for each in children(name, namespace)}
    return dict.fromkeys(made | {f"ModelService/{name}"}, "created")


def test_refused_status_leaves_the_outcomes_in_the_result(
    lab: Cluster, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    with refusing(lab, seen("apply", "modelservices", "status")) as entries:
        result = entries.run(service)
    assert result["failed"]
    assert result["changed"]
    assert "the status of ModelService" in result["msg"]
    assert actions(result) == everything("chat", namespace)
    assert len(owned(client, service)) == len(children("chat", namespace))


def test_refused_watch_leaves_the_outcomes_in_the_result_and_the_status_is_written(
    lab: Cluster, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    with refusing(lab, seen("watch", "deployments")) as entries:
        result = entries.run(service, wait=True, wait_timeout=20.0)
    assert result["failed"]
    assert result["changed"]
    assert "watch Deployments" in result["msg"]
    assert actions(result) == everything("chat", namespace)
    found = read(client, custom_resource(service))
    assert found is not None
    assert found["status"]["phase"]


def test_namespace_that_was_made_before_the_run_ended_is_told(
    lab: Cluster, client: Client, namespace: str
) -> None:
    name = f"{namespace}-new"
    with refusing(lab, seen("create", "leases")) as entries:
        result = entries.run(small("chat", name), create_namespaces=True)
    try:
        assert result["failed"]
        assert result["changed"]
        assert actions(result) == {f"Namespace/{name}": "created"}
    finally:
        client.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def test_second_look_that_fails_is_told_without_a_change(
    lab: Cluster, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    with refusing(lab, seen("list", "services"), skip=1) as entries:
        result = entries.run(service)
    assert result["failed"]
    assert not result["changed"]
    assert owned(client, service) == {}


def test_removal_that_is_cut_short_tells_what_it_removed(
    lab: Cluster, entries: Entries, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    with refusing(lab, seen("list", "modelservices"), skip=2) as cut:
        result = cut.run(service, state="absent", wait=True, wait_timeout=20.0)
    assert result["failed"]
    assert result["changed"]
    assert set(actions(result).values()) == {"deleted"}
    assert len(actions(result)) == len(children("chat", namespace)) + 1


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_run_that_is_told_to_stop_finishes_what_is_under_way_and_tells_it(
    lab: Cluster, entries: Entries, client: Client, namespace: str, kind: signal.Signals
) -> None:
    service = full("chat", namespace)
    begun: list[Running] = []
    told = Fault(writes(), do(lambda: begun[0].signal(kind)), skip=5)
    with Proxy(lab, hooks=[told]) as proxy:
        begun.append(Running(proxy.kubeconfig, service))
        result = begun[0].result()
        number = told.struck[0].number
        later = proxy.count(lambda each: writes()(each) and each.number > number)
    assert result is not None
    assert "interrupted" in result["msg"]
    made = owned(client, service).keys()
    assert {name for name, action in actions(result).items() if action == "created"} >= made
    assert result["changed"]
    assert 0 < len(made) < len(children("chat", namespace))
    assert later < CONNECTIONS, "writes were begun after the signal"
    assert read(client, lease_of(namespace)) is None, "the Lease was not given back"
    entries.reconcile(service)
    assert len(owned(client, service)) == len(children("chat", namespace))
