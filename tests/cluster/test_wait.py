# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting ends when services are ready, early when they cannot get there, and says why in the pod's own words."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.entry import observing
from tests.lab.client import ApiError, Client

from .support.cluster import there
from .support.entries import Entries
from .support.services import custom_resource, deployment, reference, small

Json = dict[str, Any]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure counts as lasting after a second, not after a back-off of an image pull."""
    monkeypatch.setattr(observing, "FAILURE_LASTS_S", 1.0)


@contextmanager
def meanwhile(act: Callable[[], object]) -> Iterator[None]:
    """Do something again and again while the body runs."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(0.05):
            act()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def breaks_pods(client: Client, namespace: str, waiting: Json) -> Callable[[], None]:
    """Return what gives every engine pod a waiting container, as a kubelet would that cannot start it."""

    def act() -> None:
        for pod in client.list_all("v1", "Pod", namespace):
            containers = [each["name"] for each in pod["spec"]["containers"]]
            statuses = pod.get("status", {}).get("containerStatuses") or []
            if "vllm" not in containers or any("waiting" in each["state"] for each in statuses):
                continue
            broken = {
                "phase": "Pending",
                "conditions": [{"type": "Ready", "status": "False"}],
                "containerStatuses": [
                    {
                        "name": "vllm",
                        "image": pod["spec"]["containers"][containers.index("vllm")]["image"],
                        "imageID": "",
                        "ready": False,
                        "restartCount": 0,
                        "state": {"waiting": waiting},
                    }
                ],
            }
            if not pod.get("status", {}).get("podIP"):
                continue  # the lab has not started it yet, and would set it ready afterwards
            try:
                client.patch_status(pod, broken)
            except ApiError as error:
                if error.code != 404:
                    raise

    return act


def test_wait_returns_when_the_service_is_ready(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    lines: list[str] = []
    result = entries.reconcile(service, wait=True, wait_timeout=90.0, progress=lines)
    assert result["services"][0]["ready"]
    assert there(client, custom_resource(service))["status"]["phase"] == "Ready"
    assert there(client, deployment("chat-decode", namespace))["status"]["readyReplicas"] == 1
    assert lines[-1].startswith(f"{namespace}/chat: decode 1/1, ready")


def test_wait_ends_early_on_an_image_that_cannot_be_pulled(
    entries: Entries,
    client: Client,
    bare_namespace: str,
    impatient: None,  # noqa: ARG001
) -> None:
    message = 'Back-off pulling image "registry.example.com/serving/vllm:0.11.0"'
    act = breaks_pods(client, bare_namespace, {"reason": "ImagePullBackOff", "message": message})
    began = time.monotonic()
    with meanwhile(act):
        result = entries.run(small("chat", bare_namespace), wait=True, wait_timeout=300.0)
    assert result["failed"]
    assert time.monotonic() - began < 120
    for text in ("chat-decode", "ImagePullBackOff", message):
        assert text in result["msg"]
    assert result["services"][0]["phase"] == "Failed"


def test_wait_ends_early_on_a_route_that_its_gateway_refuses(
    entries: Entries,
    client: Client,
    bare_namespace: str,
    impatient: None,  # noqa: ARG001
) -> None:
    route = reference("gateway.networking.k8s.io/v1", "HTTPRoute", "chat", bare_namespace)
    refusal = {
        "type": "Accepted",
        "status": "False",
        "reason": "NotAllowedByListeners",
        "message": "namespace is not admitted",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    service = small("chat", bare_namespace)
    entries.reconcile(service)
    live = there(client, route)
    parent = {
        "controllerName": "example.com/gateway",
        "parentRef": live["spec"]["parentRefs"][0],
        "conditions": [{**refusal, "observedGeneration": live["metadata"]["generation"]}],
    }
    client.patch_status(route, {"parents": [parent]})
    result = entries.run(service, wait=True, wait_timeout=300.0)
    assert result["failed"]
    assert "NotAllowedByListeners" in result["msg"]
    assert "namespace is not admitted" in result["msg"]


def test_wait_gives_up_in_time_and_says_what_is_missing(
    entries: Entries, bare_namespace: str
) -> None:
    began = time.monotonic()
    result = entries.run(small("chat", bare_namespace), wait=True, wait_timeout=2.0)
    assert result["failed"]
    assert time.monotonic() - began < 30
    assert "HTTPRoute chat" in result["msg"]
    assert result["changed"]


def test_wait_for_one_condition(entries: Entries, bare_namespace: str) -> None:
    service = small("chat", bare_namespace)
    result = entries.reconcile(service, wait=True, wait_for="DecodeReady", wait_timeout=90.0)
    assert not result["services"][0]["ready"]


def test_wait_leaves_no_threads_behind(entries: Entries, namespace: str) -> None:
    before = threading.active_count()
    entries.reconcile(small("chat", namespace), wait=True, wait_timeout=90.0)
    assert threading.active_count() <= before
