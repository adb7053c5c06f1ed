# SPDX-License-Identifier: GPL-3.0-or-later
"""Where KServe's controller of caches, its agent and we disagree: volumes, claims, nodes, statuses and Jobs of all caches of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.engine.desired import desired
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.local_models import (
    storage_key,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import KINDS
from ansible_collections.modelops.inference.plugins.module_utils.kube.intent import Child, Intent
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.lab.client import Client
from tests.objects import Cluster
from tests.parity.compare import reduced

from .cache_plane import API_VERSION, NODE, container_of, listed
from .cache_world import World

Json = dict[str, Any]


@dataclass
class Made:
    """What was made of caches: objects, and the nodes of each. jobs: those that have a Job on the node of the agent.

    apart: caches that we refuse and the controller does not.
    """

    objects: set[Reference] = field(default_factory=set)
    nodes: dict[Reference, set[str]] = field(default_factory=dict)
    jobs: set[Reference] = field(default_factory=set)
    apart: set[Reference] = field(default_factory=set)


def compiled(
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


def compared(
    client: Client,
    world: World,
    reader: Cluster,
    caches: Sequence[Json],
    left: Made,
    made: Made,
) -> Iterator[str]:
    """Yield the differences. left: what was made before an update, which the controller leaves (C14). made: gets what we make."""
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
    for cache in caches:
        service, intent, refused = compiled(cache, world.release, reader)
        name = str(Reference.of(cache))
        if intent is None:
            # Without its groups the controller does nothing for it either.
            if not any(map(_has_no_group, refused)):
                made.apart.add(Reference.of(cache))
            continue
        made.nodes[Reference.of(cache)] = {each.name for each in intent.basis.nodes}
        for child in intent.children:
            reference = child.manifest.reference
            if reference.kind == "Job":
                continue
            made.objects.add(reference)
            if reference not in theirs:
                yield f"{name}: only we make {reference}"
            else:
                yield from (
                    f"{name}: {line}"
                    for line in _different(client, child, service, theirs[reference])
                )
        if Reference.of(cache) in left.apart:
            continue
        before = left.nodes.get(Reference.of(cache), set())
        yield from (f"{name}: {line}" for line in _of_nodes(cache, intent, nodes, before))
        yield from (f"{name}: {line}" for line in _of_status(cache, intent, reader, before))
        if _job_of(intent) is not None:
            made.jobs.add(Reference.of(cache))
        if Reference.of(cache) not in left.jobs:
            # One that is there stays as it is.
            yield from (f"{name}: {line}" for line in _of_jobs(client, cache, intent, jobs))
    apart = tuple(f"{each.name}-" for each in left.apart | made.apart)
    for each in sorted(theirs.keys() - made.objects - left.objects):
        if not each.name.startswith(apart):
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


def _of_nodes(
    cache: Json, intent: Intent, nodes: Mapping[str, Sequence[Json]], before: set[str]
) -> Iterator[str]:
    metadata = cache["metadata"]
    key = metadata["name"], metadata.get("namespace", "")
    theirs = {
        name: each.get("nodeGroup")
        for name, models in nodes.items()
        for each in models
        if (each["modelName"], each.get("namespace", "")) == key
    }
    ours = {each.node.name: each.node.group for each in intent.basis.downloads}
    theirs = {name: group for name, group in theirs.items() if name in ours or name not in before}
    if theirs.keys() != ours.keys() or any(theirs[one] not in (None, ours[one]) for one in ours):
        yield f"nodes {ours} are {theirs}"


def _of_status(cache: Json, intent: Intent, reader: Cluster, before: set[str]) -> Iterator[str]:
    kind = KINDS[API_VERSION, cache["kind"]]
    found = kind.observe(intent.basis, reader, ()).status
    theirs = dict(cache.get("status") or {})
    gone = before - {each.name for each in intent.basis.nodes}
    if gone:
        # C6.
        told = theirs.get("nodeStatus") or {}
        theirs["nodeStatus"] = {name: said for name, said in told.items() if name not in gone}
        theirs["copies"] = found.get("copies")
    # C13.
    managed = intent.basis.config.local_model.volumes
    meant = set() if managed else {"inferenceServices", "llmInferenceServices"}
    for name in {*found, *theirs} - {"copies"} - meant:
        ours, said = found.get(name) or {}, theirs.get(name) or {}
        if isinstance(ours, list):
            said = sorted(said, key=lambda each: (each["namespace"], each["name"]))
        if ours != said:
            yield f"status.{name} {ours} is {said}"
    if (found.get("copies") or {}) != (theirs.get("copies") or {}):
        yield f"status.copies {found.get('copies')} is {theirs.get('copies')}"


def _of_jobs(
    client: Client, cache: Json, intent: Intent, jobs: Mapping[tuple[str, str, str], Json]
) -> Iterator[str]:
    """Yield how Jobs of the agent's node differ. C4: of caches of one address, one has a Job."""
    metadata, source = cache["metadata"], cache["spec"]["sourceModelUri"]
    theirs = jobs.get((source, metadata["name"], metadata.get("namespace", "")))
    ours = _job_of(intent)
    if ours is None or theirs is None:
        if theirs is not None or (ours and not any(one[0] == source for one in jobs)):
            yield f"Job on {NODE}: {bool(ours)} is {bool(theirs)} ({storage_key(source)})"
        return
    stored = _stored(client, ours)
    if stored["metadata"]["labels"] != theirs["metadata"]["labels"]:
        yield f"Job: labels {theirs['metadata']['labels']}"
    for place in (("ttlSecondsAfterFinished",), ("template", "spec"), ("backoffLimit",)):
        one, other = stored["spec"], theirs["spec"]
        for step in place:
            one, other = one.get(step), other.get(step)
        if one != other:
            yield f"Job: {'.'.join(place)} {one} is {other}"


def _job_of(intent: Intent) -> Json | None:
    """Return our Job of the agent's node."""
    for child in intent.children:
        if child.manifest.kind == "Job" and child.manifest.labels["node"] == NODE:
            return child.manifest.to_dict()
    return None
