# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of models at random, given to KServe's own controller and to its agent on one node: `python -m tests.differential.caches`.

All caches of a seed are in one cluster, since they share groups, nodes and services. The agent has a folder of its own, in which nothing
ever is, so that it starts a Job for each address.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.engine.desired import desired
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.local_models import (
    CACHE,
    NAMESPACE_CACHE,
    local_model,
    storage_key,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import KINDS
from ansible_collections.modelops.inference.plugins.module_utils.kube.intent import Child, Intent
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.lab import crds
from tests.lab.client import ApiError, Client, wait_until
from tests.objects import Cluster, thing
from tests.parity.compare import reduced

from .build import built, local_models, node_agent
from .isvc_plane import definitions
from .llm_plane import definitions as llm_definitions
from .modules import MODULES, release_of
from .plane import Plane

Json = dict[str, Any]
API_VERSION = "serving.kserve.io/v1alpha1"
_JOBS, _NODE, _TEAMS = "jobs", "n0", ("team-a", "team-b", "team-c")
_POOLS = ("a", "b", "c")
_QUIET = 8.0
_KINDS = (
    ("v1", "ConfigMap"),
    ("v1", "Node"),
    ("v1", "ServiceAccount"),
    ("v1", "Secret"),
    (API_VERSION, "LocalModelNodeGroup"),
    (API_VERSION, "ClusterStorageContainer"),
    ("serving.kserve.io/v1beta1", "InferenceService"),
    ("serving.kserve.io/v1alpha2", "LLMInferenceService"),
)
_WEBHOOKS = "config/webhook/localmodel/manifests.yaml"


class World:
    """What one seed has. caches: in the order in which they are given."""

    def __init__(self, seed: int, release: KServe, count: int) -> None:
        self.chance = random.Random(f"{seed} caches")
        self.release = release
        self.config = self._config()
        self.groups = [*(_group(pool) for pool in _POOLS), _group("none"), _group("bare", None)]
        self.nodes = [
            _node(f"n{number}", self.chance.choice(_POOLS), ready=number == 0 or self._rarely(0.8))
            for number in range(7)
        ]
        self.containers = [
            _container(name, prefix) for name, prefix in _CONTAINERS if self._rarely(0.5)
        ]
        self.caches = [self._cache(number) for number in range(count)]

    def _rarely(self, share: float) -> bool:
        return self.chance.random() < share

    def _config(self) -> Json:
        local: Json = {"enabled": True, "jobNamespace": _JOBS}
        if self._rarely(0.7):
            local |= {"fsGroup": 1000, "jobTTLSecondsAfterFinished": 60}
        if self._rarely(0.2):
            local["disableVolumeManagement"] = True
        image = self.chance.choice(("mirror/fetcher:1", "kserve/storage-initializer:v9"))
        storage = {
            "image": image,
            "cpuRequest": "1",
            "cpuLimit": "1",
            "memoryRequest": "1Gi",
            "memoryLimit": "1Gi",
        }
        data = {"localModel": json.dumps(local), "storageInitializer": json.dumps(storage)}
        data |= {
            "ingress": json.dumps({"ingressGateway": "a/b"}),
            "deploy": json.dumps({"defaultDeploymentMode": "Standard"}),
        }
        return thing("v1", "ConfigMap", "inferenceservice-config", "kserve", data=data)

    def _cache(self, number: int) -> Json:
        chance = self.chance
        namespaced = self.release >= KServe.V0_18 and self._rarely(0.4)
        namespace = chance.choice(_TEAMS) if namespaced else ""
        same = self._rarely(0.1)
        uri = f"{chance.choice(('s3://m', 'hf://m'))}/{chance.randrange(number + 1) if same else number}"
        groups = chance.sample([*_POOLS, "none", "bare"], chance.randint(1, 3))
        if self._rarely(0.05):
            groups.append("missing")
        spec = {"sourceModelUri": uri, "modelSize": chance.choice(("1Gi", 5)), "nodeGroups": groups}
        if self.release >= KServe.V0_18 and self._rarely(0.2):
            spec["serviceAccountName"] = "fetcher"
        kind = NAMESPACE_CACHE if namespaced else CACHE
        return thing(API_VERSION, kind, f"cache-{number}", namespace, spec=spec)

    def services(self, reader: Cluster) -> Iterator[Json]:
        """Yield services whose models some caches hold, with the marks that their webhooks give them."""
        chance = self.chance
        for number in range(len(self.caches)):
            spec = chance.choice(self.caches)["spec"]
            uri = spec["sourceModelUri"] + chance.choice(("", "", "/part", "-other"))
            group = chance.choice((None, None, *spec["nodeGroups"], "elsewhere"))
            place = chance.choice(_TEAMS)
            llm = self.release >= KServe.V0_19 and self._rarely(0.4)
            found = local_model(uri, group, place, self.release, reader)
            notes = {} if group is None else {"serving.kserve.io/nodegroup": group}
            metadata: Json = {"annotations": {**notes, **(found.annotations if found else {})}}
            metadata["labels"] = dict(found.labels) if found else {}
            if llm:
                yield thing(
                    "serving.kserve.io/v1alpha2",
                    "LLMInferenceService",
                    f"llm-{number}",
                    place,
                    metadata=metadata,
                    spec={"model": {"uri": uri, "name": "m"}},
                )
            else:
                model = {"modelFormat": {"name": "x"}, "storageUri": uri}
                yield thing(
                    "serving.kserve.io/v1beta1",
                    "InferenceService",
                    f"isvc-{number}",
                    place,
                    metadata=metadata,
                    spec={"predictor": {"model": model}},
                )


_CONTAINERS = (("init", ""), ("downloads-s3", "s3://"), ("downloads-gs", "gs://"))


def _container(name: str, prefix: str) -> Json:
    spec = {
        "container": {"name": "own", "image": f"{name}:1", "env": [{"name": "A", "value": "b"}]},
        "supportedUriFormats": [{"prefix": prefix or "s3://"}],
        "workloadType": "localModelDownloadJob" if prefix else "initContainer",
    }
    return thing(API_VERSION, "ClusterStorageContainer", name, spec=spec)


def _group(name: str, pool: str | None = "") -> Json:
    expression = {"key": "pool", "operator": "In", "values": [pool or name]}
    terms = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    volume: Json = {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "10Gi"},
        "hostPath": {"path": f"/models/{name}"},
        "storageClassName": "local",
    }
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "5Gi"}},
        "storageClassName": "local",
    }
    return thing(
        API_VERSION,
        "LocalModelNodeGroup",
        name,
        spec={
            "storageLimit": "10Gi",
            "persistentVolumeSpec": {**volume, **({} if pool is None else {"nodeAffinity": terms})},
            "persistentVolumeClaimSpec": claim,
        },
    )


def _node(name: str, pool: str, *, ready: bool) -> Json:
    said = [{"type": "Ready", "status": str(ready)}]
    labels = {"pool": pool, "kubernetes.io/hostname": name}
    return thing("v1", "Node", name, metadata={"labels": labels}, status={"conditions": said})


def judge(seed: int, release: KServe, count: int) -> tuple[int, list[str]]:
    """Return how many caches were compared, and one line for each difference."""
    programs = built(local_models(MODULES[release].kserve), print)
    agent = built(node_agent(MODULES[release].kserve), print).controller
    kinds = {
        each["metadata"]["name"]: each
        for each in (*definitions(release), *llm_definitions(release))
    }
    webhooks = crds.documents(MODULES[release].of_kserve(_WEBHOOKS))
    world = World(seed, release, count)
    with Plane(programs, kinds.values(), webhooks) as plane:
        client = plane.client
        for name in ("kserve", _JOBS, *_TEAMS):
            client.apply(thing("v1", "Namespace", name))
        for each in (world.config, *world.groups, *world.containers):
            client.apply(each)
        client.apply(thing("v1", "ServiceAccount", "fetcher", _JOBS, secrets=[{"name": "s3"}]))
        keys = {"awsAccessKeyID": "YQ==", "awsSecretAccessKey": "Yg=="}
        client.apply(thing("v1", "Secret", "s3", _JOBS, data=keys))
        for each in world.nodes:
            client.apply({key: each[key] for key in each if key != "status"})
            client.patch_status(each, each["status"])
        plane.start_controller()
        lines = list(_admitted(client, world))
        for each in world.services(_seen(client)):
            client.apply(each)
        _settle(plane)
        plane.start_beside("agent", agent, NODE_NAME=_NODE)
        wait_until(lambda: (_all_started(client), "Jobs"), "the agent to start its Jobs", 120)
        reader = _seen(client)
        caches = [
            each for kind in (CACHE, NAMESPACE_CACHE) for each in _list(client, API_VERSION, kind)
        ]
        lines += _compared(client, world, reader, caches)
        volumes = ("PersistentVolume", "PersistentVolumeClaim")
        made = {kind: len(_list(client, "v1", kind)) for kind in volumes}
        made["Job"] = len(_list(client, "batch/v1", "Job"))
        made["used"] = sum(
            bool((each.get("status") or {}).get("inferenceServices")) for each in caches
        )
        print(f"seed {seed}: the controller has {len(caches)} caches, {made}", flush=True)
    return len(world.caches), lines


def _settle(plane: Plane) -> None:
    before, since = -1.0, time.monotonic()
    while time.monotonic() - since < _QUIET:
        now = plane.reconciled()
        if now != before or plane.queue():
            before, since = now, time.monotonic()
        time.sleep(0.5)


def _list(client: Client, api_version: str, kind: str) -> list[Json]:
    try:
        return client.list_all(api_version, kind)
    except (ApiError, LookupError):
        return []


def _seen(client: Client) -> Cluster:
    kinds = (*_KINDS, (API_VERSION, CACHE), (API_VERSION, NAMESPACE_CACHE))
    return Cluster([each for kind in kinds for each in _list(client, *kind)])


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


def _admitted(client: Client, world: World) -> Iterator[str]:
    """Give the caches to the API server, and yield where only one of us refuses one. C9: its webhook does not look at groups."""
    for cache in world.caches:
        dummy, intent, refused = _compiled(cache, world.release, _seen(client))
        try:
            client.create(cache)
        except ApiError as error:
            if intent is not None:
                yield f"{Reference.of(cache)}: only they refuse: {error}"
            continue
        if intent is None and not all(each.startswith("node-group") for each in refused):
            yield f"{Reference.of(cache)}: only we refuse: {refused}"
        # Their webhook reads what it knows of other caches from a memory.
        time.sleep(0.05)


def _all_started(client: Client) -> bool:
    """Tell whether the agent has a Job of each address that its node is to have."""
    node = client.get(API_VERSION, "LocalModelNode", _NODE)
    wanted = {
        each["sourceModelUri"] for each in ((node or {}).get("spec") or {}).get("localModels") or ()
    }
    there = {_container_of(each)["args"][0] for each in _list(client, "batch/v1", "Job")}
    return wanted <= there


def _container_of(job: Json) -> Json:
    (container,) = job["spec"]["template"]["spec"]["containers"]
    return dict(container)


def _compared(
    client: Client, world: World, reader: Cluster, caches: Sequence[Json]
) -> Iterator[str]:
    theirs = {
        Reference.of(each): each
        for kind in ("PersistentVolume", "PersistentVolumeClaim")
        for each in _list(client, "v1", kind)
    }
    nodes = {
        each["metadata"]["name"]: each["spec"]["localModels"]
        for each in _list(client, API_VERSION, "LocalModelNode")
    }
    jobs = {
        (_container_of(each)["args"][0], *_labels(each)): each
        for each in _list(client, "batch/v1", "Job")
    }
    ours: set[Reference] = set()
    for cache in caches:
        service, intent, dummy = _compiled(cache, world.release, reader)
        name = str(Reference.of(cache))
        if intent is None:
            # The controller does nothing for it either.
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
    yield from (f"only they make {each}" for each in sorted(theirs.keys() - ours))


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
        if child.manifest.kind == "Job" and child.manifest.labels["node"] == _NODE
    ]
    if not ours or theirs is None:
        if theirs is not None or (ours and not any(one[0] == source for one in jobs)):
            yield f"Job on {_NODE}: {bool(ours)} is {bool(theirs)} ({storage_key(source)})"
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
    chosen = parser.parse_args()
    compared, lines = 0, []
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        count, found = judge(seed, release_of(chosen.release), chosen.caches)
        compared += count
        lines += found
        for line in found:
            print(f"seed {seed}: {line[:1500]}", flush=True)
        print(f"seed {seed}: {count} caches, {len(found)} differences", flush=True)
    print(f"{compared - min(len(lines), compared)} passed, {len(lines)} failed")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
