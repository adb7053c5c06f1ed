# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of models at random, given to KServe's own controller and to its agent on one node: `python -m tests.differential.caches`.

All caches of a seed are in one cluster, since they share groups, nodes and services. The agent has a folder of its own, in which nothing
ever is, so that it starts a Job for each address. With --updates the caches then become others.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.local_models import (
    CACHE,
    NAMESPACE_CACHE,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.local_model_cache.users import (
    SERVICES,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.lab.client import ApiError, Client
from tests.objects import Cluster

from .cache_judge import Made, compared, compiled
from .cache_plane import (
    API_VERSION,
    await_jobs,
    listed,
    objects,
    plane_of,
    prepare,
    seen,
    settle,
    start_agent,
)
from .cache_requests import BEYOND, judge_requests
from .cache_world import World
from .modules import release_of

Json = dict[str, Any]
#: Rules by which we refuse what a cache is to become, and the API takes: C9, C11, C14.
_KEPT_BACK = BEYOND | {"cache-group"}


def judge(
    seed: int, release: KServe, count: int, *, updates: bool = False
) -> tuple[int, list[str]]:
    """Return how many caches were compared, and one line for each difference. updates: whether they become others then."""
    world = World(seed, release, count)
    with plane_of(release) as plane:
        client = plane.client
        prepare(client, world.around)
        plane.start_controller()
        lines = list(_admitted(client, world))
        for each in world.services(seen(client)):
            client.apply(each)
        settle(plane)
        start_agent(plane, release)
        made, caches = Made(), _caches(client)
        lines += compared(client, world, seen(client), caches, Made(), made)
        if updates:
            lines += _updated(client, world, caches)
            _write_services(client, world)
            settle(plane)
            await_jobs(client)
            left, made, caches = made, Made(), _caches(client)
            found = compared(client, world, seen(client), caches, left, made)
            lines += [f"update: {line}" for line in found]
        volumes = ("PersistentVolume", "PersistentVolumeClaim")
        there = {kind: len(listed(client, "v1", kind)) for kind in volumes}
        there["Job"] = len(listed(client, "batch/v1", "Job"))
        there["used"] = sum(
            bool((each.get("status") or {}).get("inferenceServices")) for each in caches
        )
        print(f"seed {seed}: the controller has {len(caches)} caches, {there}", flush=True)
    return len(world.caches), lines


def _caches(client: Client) -> list[Json]:
    kinds = (CACHE, NAMESPACE_CACHE)
    return [each for kind in kinds for each in listed(client, API_VERSION, kind)]


def _updated(client: Client, world: World, caches: Sequence[Json]) -> Iterator[str]:
    """Let caches become others, and yield where only one of us refuses it."""
    for cache in caches:
        metadata = cache["metadata"]
        place = metadata.get("namespace", ""), metadata["name"]
        path = client.path(API_VERSION, cache["kind"], *place)
        other = world.other({**cache, "metadata": client.request("GET", path)["metadata"]})
        dummy, intent, refused = compiled(other, world.release, seen(client))
        told = _rules(refused)
        try:
            client.request("PUT", path, body=other)
        except ApiError as error:
            if intent is not None:
                yield f"update: {Reference.of(cache)}: only they refuse: {error}"
            continue
        if intent is None and not told <= _KEPT_BACK:
            yield f"update: {Reference.of(cache)}: only we refuse: {refused}"
        time.sleep(0.05)


def _write_services(client: Client, world: World) -> None:
    """Let somebody write each service once more, so that its webhook looks for a cache anew."""
    reader = seen(client)
    for kind in SERVICES.at(world.release):
        for each in listed(client, *kind):
            place = each["metadata"]["namespace"], each["metadata"]["name"]
            client.request("PUT", client.path(*kind, *place), body=world.marked(each, reader))


def _rules(refused: Sequence[str]) -> set[str]:
    return {each.partition(":")[0] for each in refused}


def _admitted(client: Client, world: World) -> Iterator[str]:
    """Give the caches to the API server, and yield where only one of us refuses one."""
    there = objects(client)
    for cache in world.caches:
        dummy, intent, refused = compiled(cache, world.release, Cluster(there))
        try:
            there.append(client.create(cache))
        except ApiError as error:
            if intent is not None:
                yield f"{Reference.of(cache)}: only they refuse: {error}"
            continue
        if intent is None and not _rules(refused) <= BEYOND:
            yield f"{Reference.of(cache)}: only we refuse: {refused}"
        # Their webhook reads what it knows of other caches from a memory.
        time.sleep(0.05)


def main() -> int:
    """Compare, and say how many caches differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", default="0.20")
    parser.add_argument("--caches", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--admission", action="store_true", help="ask the API server alone")
    parser.add_argument("--updates", action="store_true", help="let caches become others")
    chosen = parser.parse_args()
    judged = judge_requests if chosen.admission else partial(judge, updates=chosen.updates)
    compared, lines = 0, []
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        count, found = judged(seed, release_of(chosen.release), chosen.caches)
        compared += count
        lines += found
        for line in found:
            print(f"seed {seed}: {line[:1500]}", flush=True)
        print(f"seed {seed}: {count} caches, {len(found)} differences", flush=True)
    print(f"{compared - min(len(lines), compared)} passed, {len(lines)} failed")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
