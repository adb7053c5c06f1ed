# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A model that a Job fetches from S3 onto the disk of the node, and that KServe's own model server reads from there.

Once the model is on the node, nobody reaches the bucket any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.cluster.support.inference_services import isvc
from tests.lab.client import Client
from tests.lab.fixtures import fresh_namespace
from tests.objects import thing

from . import bucket, kserve, mounts, node, sources
from .asking import ask, until
from .sources import Sources

Json = dict[str, Any]
API_VERSION = "serving.kserve.io/v1alpha1"
CACHE, GROUP, SERVICE = "chat", "disks", "from-disk"
SOURCE = f"s3://{bucket.BUCKET}/{bucket.CACHED_MODEL}"
WAIT: Json = {"wait": True, "wait_timeout": kserve.READY_WITHIN}


def group() -> Json:
    """Return the group of the only node, with a folder of its disk."""
    folder = mounts.RUN / "volumes" / "caches"
    folder.mkdir(parents=True, exist_ok=True)
    mine = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node.NAME]}
    both: Json = {"accessModes": ["ReadWriteOnce"], "storageClassName": "disks"}
    volume = {
        **both,
        "capacity": {"storage": "1Gi"},
        "local": {"path": str(folder)},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [mine]}]}},
    }
    claim = {**both, "resources": {"requests": {"storage": "1Gi"}}}
    spec = {
        "storageLimit": "1Gi",
        "persistentVolumeSpec": volume,
        "persistentVolumeClaimSpec": claim,
    }
    return thing(API_VERSION, "LocalModelNodeGroup", GROUP, spec=spec)


@pytest.fixture(scope="module")
def cache(client: Client, fetching: Sources, fetcher: str) -> Iterator[Json]:
    """A cache whose Jobs are in a namespace with the keys of the bucket."""
    with fresh_namespace(client, "live") as jobs:
        client.apply_all([*fetching.credentials("models", jobs), group()])
        local = {"enabled": True, "jobNamespace": jobs, "fsGroup": 1000}
        kserve.configure(client, fetcher, localModel=local)
        spec = {
            "sourceModelUri": SOURCE,
            "modelSize": "1Mi",
            "nodeGroups": [GROUP],
            "serviceAccountName": "models",
        }
        yield thing(API_VERSION, "LocalModelCache", CACHE, spec=spec)


@pytest.fixture(scope="module")
def service(server: str, shared_namespace: str) -> Json:  # noqa: ARG001
    """A service of the cache's model, which has no keys of the bucket."""
    made = isvc(SERVICE, shared_namespace, minReplicas=1, maxReplicas=1)
    made["spec"]["predictor"]["model"]["storageUri"] = SOURCE
    return made


def test_model_fetched_onto_the_node_is_served_by_a_real_model_server_while_nobody_reaches_the_bucket(
    secured: Entries,
    client: Client,
    cache: Json,
    service: Json,
    answered: Callable[[object], None],
) -> None:
    fetched = secured.reconcile(cache, **WAIT)
    assert fetched["services"][0]["ready"] is True, fetched
    assert not secured.reconcile(cache, **WAIT)["changed"]
    assert sources.is_reached()
    with sources.cut_off():
        assert not sources.is_reached()
        asked = secured.reconcile(cache, service, **WAIT)
        (found,) = [each for each in asked["services"] if each["name"] == SERVICE]
        headers, body = {"Host": found["request"]["host"]}, {"instances": [[1, 2, 3]]}
        path = f"/v1/models/{SERVICE}:predict"
        answer = until(200, lambda: ask(path, headers=headers, body=body))
    assert answer.json()["weights"] == bucket.CONFIG["architectures"], answer
    answered(answer)
    (pod,) = client.list_all("v1", "Pod", service["metadata"]["namespace"])
    assert not pod["spec"].get("initContainers")
    secured.reconcile(service, cache, state="absent", wait=True)
    assert client.get(API_VERSION, "LocalModelCache", CACHE) is None
