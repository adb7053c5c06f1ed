# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object of a set lacks before others may stand on it, and how it is waited for: by watch, until it works or a fault lasts."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.cluster.listing import Listing
from ansible_collections.modelops.inference.plugins.module_utils.cluster.watch import WatchEvent
from ansible_collections.modelops.inference.plugins.module_utils.engine import lasting
from ansible_collections.modelops.inference.plugins.module_utils.engine.applyset.readiness import (
    lacks,
    without_authority,
)
from ansible_collections.modelops.inference.plugins.module_utils.engine.applyset.waiting import (
    NotReady,
    wait_for_endpoints,
    wait_for_members,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference

Json = dict[str, Any]
INJECT = {"cert-manager.io/inject-ca-from": "a/b"}


def live(kind: str, generation: int = 1, *, version: str = "v1", **body: Any) -> Json:
    """Return an object as it was read."""
    metadata = {"name": "x", "namespace": "a", "generation": generation}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **body}


def conditions(**said: str) -> Json:
    """Return a status that says this."""
    return {"conditions": [{"type": kind, "status": status} for kind, status in said.items()]}


def daemons(ready: int, updated: int, seen: int = 1) -> Json:
    """Return the status of a DaemonSet for two nodes."""
    return {
        "observedGeneration": seen,
        "desiredNumberScheduled": 2,
        "numberReady": ready,
        "updatedNumberScheduled": updated,
    }


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (live("CustomResourceDefinition"), "not NamesAccepted yet"),
        (live("CustomResourceDefinition", status=conditions(NamesAccepted="False")), "False"),
        (
            live(
                "CustomResourceDefinition",
                status=conditions(NamesAccepted="True", Established="True"),
            ),
            "",
        ),
        (live("Certificate", version="cert-manager.io/v1"), "not Ready yet"),
        (live("Certificate", version="cert-manager.io/v1", status=conditions(Ready="True")), ""),
        (live("Certificate", version="other.example.com/v1"), ""),
        (live("Namespace", status={"phase": "Terminating"}), "terminating"),
        (live("DaemonSet", status=daemons(2, 2)), ""),
        (live("DaemonSet", status=daemons(1, 2)), "1 of 2 pods are ready"),
        (live("DaemonSet", status=daemons(2, 1)), "1 of the current template"),
        (live("DaemonSet", 2, status=daemons(2, 2)), "present generation"),
        (live("Deployment", 2, status={"observedGeneration": 1}), "present generation"),
        (live("ConfigMap"), ""),
    ],
)
def test_what_does_not_work_yet_says_why(found: Json, text: str) -> None:
    assert text in lacks(found)
    assert bool(lacks(found)) == bool(text)


def test_an_authority_is_waited_for_where_somebody_is_to_inject_it() -> None:
    client = {"service": {"name": "s", "namespace": "a"}}
    hook = live("ValidatingWebhookConfiguration", webhooks=[{"name": "h", "clientConfig": client}])
    assert without_authority(hook) == ""
    hook["metadata"]["annotations"] = INJECT
    assert "h" in without_authority(hook)
    client["caBundle"] = {"any": "text"}
    assert without_authority(hook) == ""
    crd = live("CustomResourceDefinition", spec={})
    crd["metadata"]["annotations"] = INJECT
    assert without_authority(crd) == ""


class _Watch:
    """Events, after which nothing comes until it is closed."""

    def __init__(self, objects: list[Json]) -> None:
        self.resource_version = "2"
        self._objects = objects
        self._closed = threading.Event()

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[WatchEvent]:
        for item in self._objects:
            yield WatchEvent("MODIFIED", item)
        assert self._closed.wait(20), "the watch was left open"

    def close(self) -> None:
        self._closed.set()


class _Server:
    """Shows objects by kind: what a LIST holds, and what a watch tells afterwards. asked: each LIST and watch, with its selector."""

    def __init__(
        self, listed: dict[str, list[Json]], told: dict[str, list[Json]] | None = None
    ) -> None:
        self._listed, self._told = listed, told or {}
        self.asked: list[tuple[str, str, str]] = []
        self.requests = SimpleNamespace(
            deadline=SimpleNamespace(left=lambda: 1e9),
            timing=SimpleNamespace(monotonic=time.monotonic),
        )

    def pages(self, _version: str, kind: str, *, selector: str, **_rest: Any) -> Iterator[Listing]:
        self.asked.append(("list", kind, selector))
        yield Listing(self._listed.get(kind, []), "1")

    def watch(self, _version: str, kind: str, *, selector: str, **_rest: Any) -> _Watch:
        self.asked.append(("watch", kind, selector))
        return _Watch(self._told.get(kind, []))


def wait(server: _Server, *known: Json, timeout: float = 20.0) -> list[str]:
    """Wait for objects and return what was told meanwhile."""
    told: list[str] = []
    objects = {Reference.of(each): each for each in known}
    wait_for_members(cast("Any", server), objects, "set=a", timeout, told.append)
    return told


def workload(ready: int, **more: Any) -> Json:
    """Return a Deployment of one pod."""
    status = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": ready}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}, **more}
    return live("Deployment", version="apps/v1", spec=spec, status=status)


def test_what_works_already_is_not_asked_for() -> None:
    server = _Server({})
    assert wait(server, workload(1)) == []
    assert server.asked == []


def test_members_are_followed_until_they_work() -> None:
    """One LIST and one watch for the kind, and for the pods that say what is wrong."""
    server = _Server({"Deployment": [workload(0)]}, {"Deployment": [workload(1)]})
    assert wait(server, workload(0)) == ["waiting for Deployment a/x"]
    assert sorted(server.asked) == [
        ("list", "Deployment", "set=a"),
        ("list", "Pod", "app=x"),
        ("watch", "Deployment", "set=a"),
        ("watch", "Pod", "app=x"),
    ]


def test_a_member_that_somebody_deleted_is_named_as_gone() -> None:
    with pytest.raises(NotReady, match="does not work after 0 s: Deployment a/x: it is gone"):
        wait(_Server({}), workload(0), timeout=0.3)


def test_a_fault_that_lasts_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting, "FAULT_LASTS_S", 0.0)
    waiting = {"reason": "CrashLoopBackOff"}
    pod = live("Pod", status={"containerStatuses": [{"name": "m", "state": {"waiting": waiting}}]})
    pod["metadata"]["labels"] = {"app": "x"}
    server = _Server({"Deployment": [workload(0)], "Pod": [pod]})
    with pytest.raises(NotReady, match=r"does not work: Deployment a/x: .*CrashLoopBackOff"):
        wait(server, workload(0))


def test_endpoints_are_followed_until_each_service_has_one() -> None:
    def endpoints(*, ready: bool) -> Json:
        found = live("EndpointSlice", endpoints=[{"conditions": {"ready": ready}}])
        found["metadata"]["labels"] = {"kubernetes.io/service-name": "x"}
        return found

    service = Reference("v1", "Service", "a", "x")
    late = _Server(
        {"EndpointSlice": [endpoints(ready=False)]}, {"EndpointSlice": [endpoints(ready=True)]}
    )
    wait_for_endpoints(cast("Any", late), [service], 20.0)
    never = _Server({"EndpointSlice": [endpoints(ready=False)]})
    with pytest.raises(NotReady, match="Service a/x has no ready endpoint after 0 s"):
        wait_for_endpoints(cast("Any", never), [service], 0.3)
