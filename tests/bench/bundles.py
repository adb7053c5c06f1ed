# SPDX-License-Identifier: GPL-3.0-or-later
"""A bundle of 400 objects installed and left alone, with applyset, as a loop of kubernetes.core.k8s, and with kubectl."""

from __future__ import annotations

from pathlib import Path

from tests.cluster.support.bundles import large

from .plane import Bench, entry, median, settled
from .runs import Json, Timing

SIZE = 400
RUNS = 3
K8S = "kubernetes.core.k8s"
#: A task for each object, as most roles do it. So many are run, and counted for all.
LOOP, LOOPED = "loop of kubernetes.core.k8s", 20


def bundle(bench: Bench) -> list[Json]:
    """Return bundle-create and bundle-noop. Each contestant has a bundle of its own, since CRDs and roles are of the whole cluster.

    Nobody creates an object by less than one request, so an installation has a floor that the settled bundle has not.
    """
    places = {name: bench.namespace() for name in ("ours", K8S, "kubectl")}
    made = {name: large(place, SIZE) for name, place in places.items()}
    acts = {
        "ours": lambda path=None: _apply(bench, made["ours"], places["ours"], path),
        K8S: lambda path=None: bench.k8s(made[K8S], path),
        "kubectl": lambda path=None: bench.kubectl(made["kubectl"], path),
    }
    created = {LOOP: _loop(bench, made[K8S])}
    created |= {name: bench.counted(act) for name, act in acts.items()}
    settled(acts["ours"])
    turns: dict[str, list[Timing]] = {name: [] for name in acts}
    for dummy in range(RUNS):
        for name, act in acts.items():
            turns[name].append(act())
    figures = {name: median(timings) for name, timings in turns.items()}
    for name, act in acts.items():
        figures[name] |= bench.counted(act)
    figures[LOOP] = _loop(bench, made[K8S])
    for name, objects in made.items():
        _remove(bench, objects, places[name])
    bench.drop(*places.values())
    return [entry("bundle-create", SIZE, created), entry("bundle-noop", SIZE, figures)]


def _loop(bench: Bench, objects: list[Json]) -> Json:
    """Return the requests of a loop over the bundle, worked out from those for its first objects."""
    apply = {"field_manager": "bench", "force_conflicts": True}
    tasks = [
        {"kubernetes.core.k8s": {"definition": each, "apply": True, "server_side_apply": apply}}
        for each in objects[:LOOPED]
    ]
    counts = bench.counted(lambda path: bench.play(tasks, path))
    return {name: round(count * len(objects) / LOOPED) for name, count in counts.items()}


def _apply(bench: Bench, objects: list[Json], namespace: str, path: Path | None) -> Timing:
    return bench.play([_task(objects, namespace)], path)


def _remove(bench: Bench, objects: list[Json], namespace: str) -> None:
    """Remove what the contestants made beside the namespace."""
    adopted = _task(objects, namespace, adopt=True)
    gone = _task([], namespace, state="absent", keep_crds=False)
    bench.play([adopted, gone])


def _task(objects: list[Json], namespace: str, **options: object) -> Json:
    arguments = {"name": "large", "namespace": namespace, "definition": objects, **options}
    return {"modelops.inference.applyset": arguments}
