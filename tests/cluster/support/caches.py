# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of models for tests, the nodes and groups that they fill, and Jobs that end as a test says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.nodes import Pool
from tests.objects import node_group, thing

from . import inference_services
from .inference_services import config_map

API_VERSION = "serving.kserve.io/v1alpha1"
#: Where the Jobs of these tests are.
JOBS = "isvc-jobs"


def prepare(client: Client) -> None:
    """Install the kinds and KServe's configuration, with caches in use, and the namespace of the Jobs."""
    inference_services.prepare(client)
    client.apply(thing("v1", "Namespace", JOBS))


def settings(client: Client, place: str) -> Json:
    """Return the option settings of a test whose services look for their models in caches, by a configuration in its namespace."""
    own = config_map(localModel={"enabled": True, "jobNamespace": JOBS, "fsGroup": 1000})
    own["metadata"]["namespace"] = place
    client.apply(own)
    return {"settings": {"kserve_namespace": place}, "releases": {"kserve": "0.20"}}


def cache(name: str, namespace: str = "", **spec: Any) -> Json:
    """Return a cache of one group, which has its name."""
    kind = "LocalModelNamespaceCache" if namespace else "LocalModelCache"
    usual = {
        "sourceModelUri": f"s3://models/{name}",
        "modelSize": "1Gi",
        "nodeGroups": [name],
    }
    return thing(API_VERSION, kind, name, namespace, spec={**usual, **spec})


def group(name: str) -> Json:
    """Return a group of the nodes of one pool, which has its name."""
    return node_group(name, name)


@contextmanager
def pool(client: Client, name: str, nodes: int = 2) -> Iterator[list[str]]:
    """Let there be nodes of a pool, and their group. Pods on them end at once, as if all had been done."""
    made = Pool(name, nodes, labels={"pool": name}).manifests()
    try:
        for each in (group(name), *made):
            client.apply(each)
        for each in made:
            client.wait_for(each, _is_ready)
        yield [each["metadata"]["name"] for each in made]
    finally:
        for each in (*made, group(name)):
            client.delete(each)


def _is_ready(node: Json | None) -> bool:
    said = ((node or {}).get("status") or {}).get("conditions") or ()
    return any((each["type"], each["status"]) == ("Ready", "True") for each in said)


def jobs(client: Client, name: str) -> dict[str, Json]:
    """Return the Jobs of a cache by node."""
    found = client.list_all("batch/v1", "Job", JOBS)
    return {
        each["metadata"]["labels"]["node"]: each
        for each in found
        if (each["metadata"].get("labels") or {}).get("model") == name
    }
