# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of models at random, given to KServe's own controller and to its agent on one node: `python -m tests.differential.caches`.

All caches of a seed are in one cluster, since they share groups, nodes and services. The agent has a folder of its own, in which nothing
ever is, so that it starts a Job for each address.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.engine.desired import desired
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.local_models import (
    CACHE,
    NAMESPACE_CACHE,
    storage_key,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import KINDS
from ansible_collections.modelops.inference.plugins.module_utils.kube.intent import Child, Intent
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.lab.client import ApiError, Client
from tests.objects import Cluster
from tests.parity.compare import reduced

from .cache_plane import (
    API_VERSION,
    NODE,
    container_of,
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


def judge(seed: int, release: KServe, count: int) -> tuple[int, list[str]]:
    """Return how many caches were compared, and one line for each difference."""
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
        reader = seen(client)
        caches = [
            each for kind in (CACHE, NAMESPACE_CACHE) for each in listed(client, API_VERSION, kind)
        ]
        lines += _compared(client, world, reader, caches)
        volumes = ("PersistentVolume", "PersistentVolumeClaim")
        made = {kind: len(listed(client, "v1", kind)) for kind in volumes}
        made["Job"] = len(listed(client, "batch/v1", "Job"))
        made["used"] = sum(
            bool((each.get("status") or {}).get("inferenceServices")) for each in caches
        )
        print(f"seed {seed}: the controller has {len(caches)} caches, {made}", flush=True)
    return len(world.caches), lines


def _compiled(
    document: Json, release: KServe, reader: Cluster
) -> tuple[Any, Intent | None, list[str]]:
    """Return the typed cache, what it becomes, and why it is refused."""
    kind = KINDS[API_VERSION, document["kind"]]
    settings = kind.settings({}, {"kserve": str(release)})
    plain = {key: document[key] for key in ("apiVersion", "kind", "metadata", "spec")}
    loaded = kind.load(plain, settings)
    if loaded.service is None:
        return None, None, [str(each) for each in loaded.problems]
    try:
        return loaded.service, kind.compile(loaded.service, settings, reader), []
    except InputError as error:
        found = [each for one in error.complaints for each in one.problems]
        return loaded.service, None, [f"{each.rule}: {each}" for each in found]


def _has_no_group(refused: str) -> bool:
    return refused.startswith("node-group")


def _admitted(client: Client, world: World) -> Iterator[str]:
    """Give the caches to the API server, and yield where only one of us refuses one."""
    there = objects(client)
    for cache in world.caches:
        dummy, intent, refused = _compiled(cache, world.release, Cluster(there))
        try:
            there.append(client.create(cache))
        except ApiError as error:
            if intent is not None:
                yield f"{Reference.of(cache)}: only they refuse: {error}"
            continue
        if intent is None and not all(each.partition(":")[0] in BEYOND for each in refused):
            yield f"{Reference.of(cache)}: only we refuse: {refused}"
        # Their webhook reads what it knows of other caches from a memory.
        time.sleep(0.05)


def _compared(
    client: Client, world: World, reader: Cluster, caches: Sequence[Json]
) -> Iterator[str]:
    theirs = {
        Reference.of(each): each
        for kind in ("PersistentVolume", "PersistentVolumeClaim")
        for each in listed(client, "v1", kind)
    }
    nodes = {
        each["metadata"]["name"]: each["spec"]["localModels"]
        for each in listed(client, API_VERSION, "LocalModelNode")
    }
    jobs = {
        (container_of(each)["args"][0], *_labels(each)): each
        for each in listed(client, "batch/v1", "Job")
    }
    ours: set[Reference] = set()
    apart: list[str] = []
    for cache in caches:
        service, intent, refused = _compiled(cache, world.release, reader)
        name = str(Reference.of(cache))
        if intent is None:
            # Without its groups the controller does nothing for it either.
            apart += () if any(map(_has_no_group, refused)) else [f"{cache['metadata']['name']}-"]
            continue
        for child in intent.children:
            reference = child.manifest.reference
            if reference.kind == "Job":
                continue
            ours.add(reference)
            if reference not in theirs:
                yield f"{name}: only we make {reference}"
            else:
                yield from (
                    f"{name}: {line}"
                    for line in _different(client, child, service, theirs[reference])
                )
        yield from (f"{name}: {line}" for line in _of_nodes(cache, intent, nodes))
        yield from (f"{name}: {line}" for line in _of_status(cache, intent, reader))
        yield from (f"{name}: {line}" for line in _of_jobs(client, cache, intent, jobs))
    for each in sorted(theirs.keys() - ours):
        if not each.name.startswith(tuple(apart)):
            yield f"only they make {each}"


def _labels(job: Json) -> tuple[str, str]:
    labels = job["metadata"]["labels"]
    return labels["model"], labels.get("modelNamespace", "")


def _stored(client: Client, manifest: Json) -> Json:
    """Return what the API server makes of a new object, without creating it."""
    metadata = {**manifest["metadata"], "name": f"{manifest['metadata']['name'][:50]}-trial"}
    return client.create({**manifest, "metadata": metadata}, dryRun="All")


def _different(client: Client, child: Child, service: Any, theirs: Json) -> Iterator[str]:
    manifest = child.manifest.to_dict()
    ours = _stored(client, manifest)
    if reduced(ours)["spec"] != reduced(theirs)["spec"]:
        yield f"{child.manifest.reference}: spec {ours['spec']} is {theirs['spec']}"
    for texts in ("labels", "annotations"):
        if manifest["metadata"].get(texts, {}) != theirs["metadata"].get(texts, {}):
            yield f"{child.manifest.reference}: {texts} {theirs['metadata'].get(texts)}"
    parent = desired(child, service.reference, "f").parent
    owners = [
        (each["kind"], each["name"]) for each in theirs["metadata"].get("ownerReferences") or ()
    ]
    if owners != ([] if parent is None else [(parent.kind, parent.name)]):
        yield f"{child.manifest.reference}: owned by {owners}"


def _of_nodes(cache: Json, intent: Intent, nodes: Mapping[str, Sequence[Json]]) -> Iterator[str]:
    metadata = cache["metadata"]
    key = metadata["name"], metadata.get("namespace", "")
    theirs = {
        name: each.get("nodeGroup")
        for name, models in nodes.items()
        for each in models
        if (each["modelName"], each.get("namespace", "")) == key
    }
    ours = {each.node.name: each.node.group for each in intent.basis.downloads}
    if theirs.keys() != ours.keys() or any(theirs[one] not in (None, ours[one]) for one in ours):
        yield f"nodes {ours} are {theirs}"


def _of_status(cache: Json, intent: Intent, reader: Cluster) -> Iterator[str]:
    kind = KINDS[API_VERSION, cache["kind"]]
    found = kind.observe(intent.basis, reader, ()).status
    theirs = cache.get("status") or {}
    # C13.
    managed = intent.basis.config.local_model.volumes
    meant = set() if managed else {"inferenceServices", "llmInferenceServices"}
    for field in {*found, *theirs} - {"copies"} - meant:
        ours, said = found.get(field) or {}, theirs.get(field) or {}
        if isinstance(ours, list):
            said = sorted(said, key=lambda each: (each["namespace"], each["name"]))
        if ours != said:
            yield f"status.{field} {ours} is {said}"
    if (found.get("copies") or {}) != (theirs.get("copies") or {}):
        yield f"status.copies {found.get('copies')} is {theirs.get('copies')}"


def _of_jobs(
    client: Client, cache: Json, intent: Intent, jobs: Mapping[tuple[str, str, str], Json]
) -> Iterator[str]:
    """Yield how Jobs of the agent's node differ. C4: of caches of one address, one has a Job."""
    metadata, source = cache["metadata"], cache["spec"]["sourceModelUri"]
    theirs = jobs.get((source, metadata["name"], metadata.get("namespace", "")))
    ours = [
        child.manifest.to_dict()
        for child in intent.children
        if child.manifest.kind == "Job" and child.manifest.labels["node"] == NODE
    ]
    if not ours or theirs is None:
        if theirs is not None or (ours and not any(one[0] == source for one in jobs)):
            yield f"Job on {NODE}: {bool(ours)} is {bool(theirs)} ({storage_key(source)})"
        return
    stored = _stored(client, ours[0])
    if stored["metadata"]["labels"] != theirs["metadata"]["labels"]:
        yield f"Job: labels {theirs['metadata']['labels']}"
    for place in (("ttlSecondsAfterFinished",), ("template", "spec"), ("backoffLimit",)):
        one, other = stored["spec"], theirs["spec"]
        for step in place:
            one, other = one.get(step), other.get(step)
        if one != other:
            yield f"Job: {'.'.join(place)} {one} is {other}"


def main() -> int:
    """Compare, and say how many caches differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", default="0.20")
    parser.add_argument("--caches", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--admission", action="store_true", help="ask the API server alone")
    chosen = parser.parse_args()
    judged = judge_requests if chosen.admission else judge
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
