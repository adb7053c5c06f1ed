# SPDX-License-Identifier: GPL-3.0-or-later
"""What an API server does by itself, which decides how to talk to it: `python -m tests.bench.questions`.

Applies per second over 8 connections, without and with an admission webhook; CPU of the server for an apply of each kind; latency
of LISTs on an idle server, one after the other and at once. Figures of one machine, to be compared with each other.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from module_utils.kinds.model_service.kind import MODEL_SERVICE
from tests.cluster.support.webhook import patched, webhook
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE as MODEL_SERVICE_KINDS

from .plane import server_cpu
from .workload import rendered, services

Json = dict[str, Any]
NAMESPACE = "questions"
CONNECTIONS = 8
SERVICES = 10
ROUNDS = 5


def main() -> int:
    """Print the answers."""
    with ControlPlane(nodes="none", crds=[*MODEL_SERVICE_KINDS, MODEL_SERVICE.crd()]) as plane:
        client = plane.client
        client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        manifests = rendered(services(SERVICES), NAMESPACE)
        _ceiling(plane, manifests)
        _by_kind(plane, manifests)
        _lists(client, manifests)
    return 0


def _ceiling(plane: ControlPlane, manifests: list[Json]) -> None:
    print(f"applies over {CONNECTIONS} connections, {len(manifests)} objects of all kinds")
    _applied(plane, "create", manifests)
    _applied(plane, "no change", manifests)
    _applied(plane, "one annotation changed", _marked(manifests, "a"))
    with _watched(plane.client) as asked:
        _applied(plane, "no change, one webhook", _marked(manifests, "a"))
        _applied(plane, "one annotation changed, one webhook", _marked(manifests, "b"))
        print(f"  {len(asked)} calls of the webhook")


def _applied(plane: ControlPlane, title: str, manifests: list[Json]) -> None:
    before, began = server_cpu(plane), time.monotonic()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(lambda manifest: plane.client.apply(manifest, manager="bare"), manifests))
    wall = time.monotonic() - began
    cpu = (server_cpu(plane) - before) / len(manifests)
    print(f"  {title:38} {len(manifests) / wall:6.0f}/s  {cpu * 1000:5.1f} ms of server CPU each")


def _marked(manifests: list[Json], value: str) -> list[Json]:
    return [_with_annotation(manifest, value) for manifest in manifests]


def _with_annotation(manifest: Json, value: str) -> Json:
    metadata = manifest["metadata"]
    annotations = {**(metadata.get("annotations") or {}), "example.com/mark": value}
    return {**manifest, "metadata": {**metadata, "annotations": annotations}}


@contextmanager
def _watched(client: Client) -> Iterator[list[str]]:
    """Let a webhook be asked about every write of the namespace; yields the names that it was asked about."""
    asked: list[str] = []

    def allow(request: Json) -> Json:
        asked.append(request["name"])
        return patched()

    with (
        tempfile.TemporaryDirectory() as folder,
        webhook(client, NAMESPACE, Path(folder), allow, ["*"], kind="Mutating"),
    ):
        yield asked


def _by_kind(plane: ControlPlane, manifests: list[Json]) -> None:
    print("server CPU of an apply by kind, ms: no change, one annotation changed")
    by_kind = {each["kind"]: each for each in manifests}
    for kind, manifest in by_kind.items():
        figures = [_cpu(plane, manifest, changing=changing) for changing in (False, True)]
        print(f"  {kind:20} {figures[0]:6.2f} {figures[1]:6.2f}")


def _cpu(plane: ControlPlane, manifest: Json, *, changing: bool) -> float:
    """Return the server's CPU of one apply; the clock ticks in hundredths of a second, so many are sent."""
    times = 60
    before = server_cpu(plane)
    for number in range(times):
        plane.client.apply(_with_annotation(manifest, f"{changing and number}"), manager="bare")
    return (server_cpu(plane) - before) / times * 1000


def _lists(client: Client, manifests: list[Json]) -> None:
    kinds = list(dict.fromkeys((each["apiVersion"], each["kind"]) for each in manifests))
    paths = [client.path(*kind) for kind in kinds]
    print(f"{len(kinds)} LISTs on an idle server, ms: least, median, most of {ROUNDS}")

    def consistent(path: str) -> object:
        return client.request("GET", path, query={"limit": "500"})

    def cached(path: str) -> object:
        return client.request("GET", path, query={"resourceVersion": "0"})

    with ThreadPoolExecutor(len(paths)) as pool:
        _timed("consistent, at once", lambda: list(pool.map(consistent, paths)))
        _timed("consistent, in sequence", lambda: [consistent(path) for path in paths])
        _timed("from the cache, at once", lambda: list(pool.map(cached, paths)))


def _timed(title: str, act: Callable[[], object]) -> None:
    act()
    taken = []
    for dummy in range(ROUNDS):
        time.sleep(1)
        began = time.monotonic()
        act()
        taken.append((time.monotonic() - began) * 1000)
    print(f"  {title:28} {min(taken):6.0f} {statistics.median(taken):6.0f} {max(taken):6.0f}")


if __name__ == "__main__":
    sys.exit(main())
