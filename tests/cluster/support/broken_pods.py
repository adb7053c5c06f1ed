# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that cannot start: the lab's nodes start every pod, so a test says what a kubelet would."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from module_utils.kube.manifest import Json
from tests.lab.client import ApiError, Client

#: Whether an init container waits, why, and in which words.
Trouble = tuple[bool, str, str]


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


def breaks_pods(
    client: Client, namespace: str, trouble_of: Callable[[str], Trouble]
) -> Callable[[], None]:
    """Return what gives the engine pods waiting containers, as a kubelet would that cannot start them.

    trouble_of: what befalls a service.
    """

    def act() -> None:
        for pod in started(client, namespace):
            if pod["status"]["phase"] == "Running":
                service = pod["metadata"]["name"].partition("-decode-")[0]
                set_status(client, pod, _broken(pod, *trouble_of(service)))

    return act


def started(client: Client, namespace: str) -> list[Json]:
    """Return the engine pods that the lab has started; it would set earlier ones ready afterwards."""
    pods = client.list_all("v1", "Pod", namespace)
    return [
        pod for pod in pods if "-decode-" in pod["metadata"]["name"] and "podIP" in pod["status"]
    ]


def set_status(client: Client, pod: Json, status: Json) -> None:
    """Write the status of a pod, unless it is gone."""
    try:
        client.patch_status(pod, status)
    except ApiError as error:
        if error.code != 404:
            raise


def _broken(pod: Json, init: bool, reason: str, message: str) -> Json:
    kind = "initContainers" if init else "containers"
    container = pod["spec"][kind][0]
    waiting = {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": {"waiting": {"reason": reason, "message": message}},
    }
    return {
        "phase": "Pending",
        "conditions": [{"type": "Ready", "status": "False"}],
        f"{kind[:-1]}Statuses": [waiting],
        **({"containerStatuses": []} if init else {}),
    }
