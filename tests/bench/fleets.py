# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fleets of several sizes created, left alone and changed, ours and the peers in turn.

S: one service. M: 20, about 300 objects. L: 200, about 3,000 objects.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.lab.distance import Distance
from tests.lab.proxy import Proxy

from .ceiling import Write, recorded
from .plane import Bench, entry, median, settled
from .runs import Json, Timing
from .workload import rendered, services

M, L = 20, 200
RUNS = 3
FAR_MS = 20
K8S = "kubernetes.core.k8s"


def noop_small(bench: Bench) -> list[Json]:
    """Return noop-S: what one task on one settled service costs beside an empty play."""
    namespace = bench.namespace()
    documents = services(1)
    _settle(bench, documents, namespace)
    turns = _in_turn(
        RUNS + 2,
        {
            "ours": lambda: bench.ours(documents, namespace),
            "empty play": lambda: bench.play([]),
        },
    )
    figures = {name: median(timings) for name, timings in turns.items()}
    overhead = round(figures["ours"]["wall_s"] - figures["empty play"]["wall_s"], 3)
    figures["ours"] |= {"overhead_s": overhead} | _counted(bench, documents, namespace)
    objects = len(rendered(documents, namespace))
    bench.drop(namespace)
    return [entry("noop-S", objects, figures)]


def medium(bench: Bench) -> list[Json]:
    """Return create-M and noop-M, against every peer."""
    return [
        _create(bench, "create-M", services(M), (K8S, "kubectl", "ceiling")),
        *_noop(bench, "noop-M", services(M), (K8S, "kubectl")),
    ]


def create_large(bench: Bench) -> list[Json]:
    """Return create-L, against the peers that do it within minutes."""
    return [_create(bench, "create-L", services(L), ("kubectl", "ceiling"))]


def settled_large(bench: Bench) -> list[Json]:
    """Return noop-L, near and far, one-child-L and one-spec-L."""
    return _noop(bench, "noop-L", services(L), (K8S, "kubectl"), also=_changes)


def _create(bench: Bench, name: str, documents: list[Json], peers: tuple[str, ...]) -> Json:
    turns: dict[str, list[Timing]] = {each: [] for each in ("ours", *peers)}
    writes = _writes_of_create(bench, documents)
    objects = 0
    for dummy in range(RUNS):
        place = {each: bench.namespace() for each in turns}
        manifests = {each: rendered(documents, namespace) for each, namespace in place.items()}
        objects = len(manifests["ours"])
        acts = _acts(bench, documents, place, manifests, writes)
        for each, timings in turns.items():
            timings.append(acts[each]())
            # The pods of one contestant's Deployments are no burden of the next.
            bench.quiet()
        bench.drop(*place.values())
    return entry(name, objects, {each: median(timings) for each, timings in turns.items()})


def _acts(
    bench: Bench,
    documents: list[Json],
    place: dict[str, str],
    manifests: dict[str, list[Json]],
    writes: Callable[[str], list[Write]],
) -> dict[str, Callable[[], Timing]]:
    return {
        "ours": lambda: bench.ours(documents, place["ours"]),
        K8S: lambda: bench.k8s(manifests[K8S]),
        "kubectl": lambda: bench.kubectl(manifests["kubectl"]),
        "ceiling": lambda: bench.ceiling(writes(place["ceiling"])),
    }


def _writes_of_create(bench: Bench, documents: list[Json]) -> Callable[[str], list[Write]]:
    """Create once through the proxy, and return what gives the writes of it for another namespace."""
    namespace = bench.namespace()
    with Proxy(bench.plane) as proxy:
        bench.ours(documents, namespace, proxy.kubeconfig)
        records = proxy.records
    bench.drop(namespace)
    return lambda other: recorded(records, namespace, other)


def _noop(
    bench: Bench,
    name: str,
    documents: list[Json],
    peers: tuple[str, ...],
    also: Callable[[Bench, list[Json], str, int], list[Json]] | None = None,
) -> list[Json]:
    namespace = bench.namespace()
    manifests = rendered(documents, namespace)
    _settle(bench, documents, namespace)

    def ours() -> Timing:
        # A peer's apply took atomic values that the server completes (`valueFrom`, a route's `parentRefs`): they are ours again first.
        _settle(bench, documents, namespace)
        return bench.ours(documents, namespace)

    acts: dict[str, Callable[[], Timing]] = {"ours": ours}
    if K8S in peers:
        acts[K8S] = lambda: bench.k8s(manifests)
    acts["kubectl"] = lambda: bench.kubectl(manifests)
    # The peers' applies own the same fields with the same values, so that each finds nothing to do.
    for act in (acts["kubectl"], *([acts[K8S]] if len(documents) == M else [])):
        act()
    _settle(bench, documents, namespace)
    turns = _in_turn(RUNS, acts)
    figures = {each: median(timings) for each, timings in turns.items()}
    _settle(bench, documents, namespace)
    figures["ours"] |= _counted(bench, documents, namespace)
    figures["kubectl"] |= bench.counted(lambda path: bench.kubectl(manifests, path))
    if len(documents) == M:
        figures[K8S] |= bench.counted(lambda path: bench.k8s(manifests, path))
    results = [entry(name, len(manifests), figures)]
    _settle(bench, documents, namespace)
    with Distance(bench.plane, FAR_MS / 1000) as far:
        away = median([bench.ours(documents, namespace, far.kubeconfig) for dummy in range(RUNS)])
    results.append(entry(name, len(manifests), {"ours": away}, rtt_ms=FAR_MS))
    if also:
        results += also(bench, documents, namespace, len(manifests))
    bench.drop(namespace)
    return results


def _changes(bench: Bench, documents: list[Json], namespace: str, objects: int) -> list[Json]:
    """Return one-child-L, where somebody else changed a field, and one-spec-L, where the author did."""
    child: list[Timing] = []
    spec: list[Timing] = []
    for turn in range(RUNS):
        _drift(bench, namespace)
        child.append(bench.ours(documents, namespace))
        documents = _edited(documents, turn)
        spec.append(bench.ours(documents, namespace))
    # A rollout of the runs before would change a status, which is no write for the drift.
    _settle(bench, documents, namespace)
    _drift(bench, namespace)
    drifted = _counted(bench, documents, namespace)
    documents = _edited(documents, RUNS)
    edited = _counted(bench, documents, namespace)
    return [
        entry("one-child-L", objects, {"ours": median(child) | drifted}),
        entry("one-spec-L", objects, {"ours": median(spec) | edited}),
    ]


def _drift(bench: Bench, namespace: str) -> None:
    """Change a field of ours in one object."""
    deployment = bench.plane.client.list_all("apps/v1", "Deployment", namespace)[7]
    labels = {"app.kubernetes.io/managed-by": "somebody"}
    bench.plane.client.patch(deployment, {"metadata": {"labels": labels}})


def _edited(documents: list[Json], turn: int) -> list[Json]:
    edited = deepcopy(documents)
    edited[7]["spec"]["engine"]["env"][0]["value"] = f"DEBUG{turn}"
    return edited


def _settle(bench: Bench, documents: list[Json], namespace: str) -> None:
    settled(lambda: bench.ours(documents, namespace, wait=True))


def _counted(bench: Bench, documents: list[Json], namespace: str) -> Json:
    def act(path: Path) -> Any:
        return bench.ours(documents, namespace, path)

    return bench.counted(act)


def _in_turn(runs: int, acts: dict[str, Callable[[], Timing]]) -> dict[str, list[Timing]]:
    turns: dict[str, list[Timing]] = {name: [] for name in acts}
    for dummy in range(runs):
        for name, act in acts.items():
            turns[name].append(act())
    return turns
