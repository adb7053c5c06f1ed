# SPDX-License-Identifier: GPL-3.0-or-later
"""Services are followed on a real API server: events come, also after the connection was lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from module_utils.events import follower
from module_utils.kube.problem import InputError
from tests.lab.client import Client
from tests.lab.faults import Effect, Fault, event, hang_up, page, seen
from tests.lab.proxy import Proxy

from .support.entries import Entries
from .support.followed import Followed, options
from .support.services import children, custom_resource, deployment, full, small

#: What a server says that has forgotten the place of a watch.
EXPIRED = {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired"}


@pytest.fixture
def followed(entries: Entries, proxy: Proxy, namespace: str) -> Iterator[Followed]:
    """Followed through a proxy; `chat` is there, and a first event proves that all was listed."""
    entries.reconcile(full("chat", namespace))
    made = Followed(proxy.kubeconfig, namespace)
    made.wait_until_it_follows(lambda name: entries.reconcile(small(name, namespace)))
    yield made
    made.end()


def test_events_come_for_what_others_do_and_not_for_our_own_runs(
    followed: Followed, entries: Entries, client: Client, namespace: str
) -> None:
    client.delete(children("chat", namespace)[1])
    found = followed.wait_for("drift", "chat-epp-config")
    assert found["service"] == {"kind": "ModelService", "namespace": namespace, "name": "chat"}
    assert found["reason"] == "deleted"
    assert found["fleet"] == "default"
    client.patch(deployment("chat-epp", namespace), {"spec": {"replicas": 3}})
    assert "was changed by" in followed.wait_for("drift", "chat-epp")["message"]
    entries.reconcile(full("chat", namespace))
    entries.reconcile(small("tiny", namespace))
    followed.wait_for("new", "tiny")
    client.delete(custom_resource(small("tiny", namespace)))
    followed.wait_for("deletion", "tiny")
    assert followed.events == []


@pytest.mark.parametrize("trouble", [event("ERROR", EXPIRED), hang_up, page(503)])
def test_connection_is_made_again_whatever_ends_it(
    followed: Followed, client: Client, proxy: Proxy, namespace: str, trouble: Effect
) -> None:
    fault = Fault(seen("watch", "configmaps"), trouble)
    proxy.hooks.append(fault)
    while not fault.struck:
        time.sleep(0.1)
    client.delete(children("chat", namespace)[1])
    followed.wait_for("drift", "chat-epp-config")


def test_namespace_that_does_not_exist_is_named(entries: Entries) -> None:
    given = options(kubeconfig=str(entries.kubeconfig), namespaces=["default", "nowhere"])
    with pytest.raises(InputError, match=r'namespaces\[1\]: "nowhere" does not exist'):
        follower.follow(given, {}, lambda dummy: None, threading.Event())
