# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of models at random, with the groups, nodes and services around them. The same seed gives the same ones."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.local_models import (
    CACHE,
    GROUP_ANNOTATION,
    NAMESPACE_CACHE,
    local_model,
    without_marks,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.local_model_cache.users import (
    address_of,
)
from tests.objects import Cluster, thing

from .cache_plane import API_VERSION, JOBS, TEAMS

Json = dict[str, Any]
_POOLS = ("a", "b", "c")


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

    @property
    def around(self) -> list[Json]:
        """What is there before the caches, but for services."""
        return [self.config, *self.groups, *self.containers, *self.nodes]

    def _rarely(self, share: float) -> bool:
        return self.chance.random() < share

    def _config(self) -> Json:
        local: Json = {"enabled": True, "jobNamespace": JOBS}
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
        namespace = chance.choice(TEAMS) if namespaced else ""
        same = self._rarely(0.1)
        uri = f"{chance.choice(('s3://m', 'hf://m'))}/{chance.randrange(number + 1) if same else number}"
        kind = NAMESPACE_CACHE if namespaced else CACHE
        return thing(API_VERSION, kind, f"cache-{number}", namespace, spec=self._spec(uri))

    def _spec(self, uri: str) -> Json:
        chance = self.chance
        groups = chance.sample([*_POOLS, "none", "bare"], chance.randint(1, 3))
        if self._rarely(0.05):
            groups.append("missing")
        spec = {"sourceModelUri": uri, "modelSize": chance.choice(("1Gi", 5)), "nodeGroups": groups}
        if self.release >= KServe.V0_18 and self._rarely(0.2):
            spec["serviceAccountName"] = chance.choice(("fetcher", "fetcher", "nobody"))
        if self.release >= KServe.V0_18 and self._rarely(0.2):
            spec["storage"] = copy.deepcopy(chance.choice(_STORAGES))
        return spec

    def other(self, cache: Json) -> Json:
        """Return what a live cache becomes: other groups, size and credentials, and now and then another model."""
        source = cache["spec"]["sourceModelUri"]
        if self._rarely(0.1):
            source = self.chance.choice(("s3://moved", f"{source}/part"))
        changed = {key: each for key, each in cache.items() if key != "status"}
        return {**changed, "spec": self._spec(source)}

    def services(self, reader: Cluster) -> Iterator[Json]:
        """Yield services whose models some caches hold, with the marks that their webhooks give them."""
        chance = self.chance
        for number in range(len(self.caches)):
            spec = chance.choice(self.caches)["spec"]
            uri = spec["sourceModelUri"] + chance.choice(("", "", "/part", "-other"))
            group = chance.choice((None, None, *spec["nodeGroups"], "elsewhere"))
            place = chance.choice(TEAMS)
            llm = self.release >= KServe.V0_19 and self._rarely(0.4)
            notes = {} if group is None else {GROUP_ANNOTATION: group}
            metadata: Json = {"annotations": notes}
            if llm:
                service = thing(
                    "serving.kserve.io/v1alpha2",
                    "LLMInferenceService",
                    f"llm-{number}",
                    place,
                    metadata=metadata,
                    spec={"model": {"uri": uri, "name": "m"}},
                )
            else:
                model = {"modelFormat": {"name": "x"}, "storageUri": uri}
                service = thing(
                    "serving.kserve.io/v1beta1",
                    "InferenceService",
                    f"isvc-{number}",
                    place,
                    metadata=metadata,
                    spec={"predictor": {"model": model}},
                )
            yield self.marked(service, reader)

    def marked(self, service: Json, reader: Cluster) -> Json:
        """Return a service with the marks that its webhook gives it whenever it is written."""
        metadata = service["metadata"]
        notes, place = without_marks(metadata.get("annotations") or {}), metadata["namespace"]
        group = notes.get(GROUP_ANNOTATION)
        found = local_model(address_of(service), group, place, self.release, reader)
        labels = dict(found.labels) if found else {}
        notes |= found.annotations if found else {}
        return {**service, "metadata": {**metadata, "labels": labels, "annotations": notes}}


_STORAGES: tuple[Json, ...] = (
    {"key": "own"},
    {"key": "default", "parameters": {"region": "eu", "bucket": "c"}},
    {"key": "", "parameters": {"type": "s3"}},
    {"key": ""},
    {"key": "missing"},
    {"key": "untyped"},
    {"parameters": {"type": "s3"}},
    {},
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
