# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ready-delay: how long after a status was written a waiting task sees it, and what the waiting costs.

One task waits for two services. Their routes are in a namespace in which no stage of the lab sets a status, so this
script is the gateway: it accepts one route and takes that back, again and again, and the line that the task shows for each
change tells when it was seen. The clock starts before the status is sent, so the delay is an upper bound.
"""

from __future__ import annotations

import queue
import statistics
import threading
import time

from module_utils.modules import llmisvc_reconcile
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace

from .plane import Bench, entry
from .runs import Json
from .workload import services

FLIPS = 60
#: What a line says of a service whose pods are all there.
SERVING = "decode 1/1"
#: Seconds for one change to be seen before the benchmark gives up.
LOST = 60.0


def ready_delay(bench: Bench) -> list[Json]:
    """Return ready-delay: median, 95th percentile and longest delay in seconds, and the requests of the whole task."""
    plane = bench.plane
    with fresh_namespace(plane.client, "bare") as namespace:
        lines: queue.Queue[tuple[float, str]] = queue.Queue()
        task = _Task(plane, namespace, lines)
        task.start()
        gateway = _Gateway(plane.client, namespace)
        _await(lines, f"chat-0: {SERVING}, PoolAccepted")
        gateway.accept("chat-1", accepted=False)
        delays = []
        for dummy in range(FLIPS):
            started = gateway.accept("chat-0")
            delays.append(_await(lines, f"chat-0: {SERVING}, ready") - started)
            gateway.accept("chat-0", accepted=False)
            _await(lines, f"chat-0: {SERVING}, PoolAccepted")
        for name in ("chat-0", "chat-1"):
            gateway.accept(name)
        task.join()
    delays.sort()
    figures = {
        "p50_s": round(statistics.median(delays), 4),
        "p95_s": round(delays[int(len(delays) * 0.95)], 4),
        "max_s": round(delays[-1], 4),
        "requests": task.result["stats"]["requests"],
        "writes": task.result["stats"]["writes"],
    }
    return [entry("ready-delay", len(delays), {"ours": figures})]


class _Task(threading.Thread):
    """The task that waits; it tells its lines with the time at which it shows them."""

    def __init__(
        self, plane: Cluster, namespace: str, lines: queue.Queue[tuple[float, str]]
    ) -> None:
        super().__init__(name="task", daemon=True)
        self.result: Json = {}
        self._lines = lines
        self._params = {
            name: option.get("default") for name, option in llmisvc_reconcile.ARGUMENT_SPEC.items()
        } | {
            "kubeconfig": str(plane.kubeconfig),
            "services": services(2),
            "namespace": namespace,
            "reconciler": "direct",
            "wait": True,
            "wait_timeout": FLIPS * LOST,
        }

    def run(self) -> None:
        self.result = llmisvc_reconcile.run(
            self._params,
            check_mode=False,
            diff=False,
            environment={},
            progress=lambda line: self._lines.put((time.monotonic(), line)),
        )


class _Gateway:
    """Says of a route that it is accepted, or not yet."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    def accept(self, name: str, *, accepted: bool = True) -> float:
        """Write the status of a route; return when it was sent."""
        api_version, kind = "gateway.networking.k8s.io/v1", "HTTPRoute"
        route = self._client.get(api_version, kind, name, self._namespace)
        if route is None:
            raise LookupError(f"there is no HTTPRoute {self._namespace}/{name}")
        condition = {
            "type": "Accepted",
            "status": "True" if accepted else "False",
            "reason": "Accepted" if accepted else "Pending",
            "message": "",
            "observedGeneration": route["metadata"]["generation"],
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        parent = {
            "controllerName": "example.com/gateway",
            "parentRef": route["spec"]["parentRefs"][0],
            "conditions": [condition],
        }
        sent = time.monotonic()
        self._client.patch_status(route, {"parents": [parent]})
        return sent


def _await(lines: queue.Queue[tuple[float, str]], text: str) -> float:
    """Return when a line with this text was shown."""
    while True:
        seen, line = lines.get(timeout=LOST)
        if text in line:
            return seen
