# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of models for tests, the nodes and groups that they fill, and Jobs that end as a test says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from module_utils.kinds.local_model_cache import names
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


#: A node of the lab that is always there.
_NODE = "cpu-0"


@contextmanager
def on_a_node(client: Client, place: str) -> Iterator[Json]:
    """Let there be a group of one node of the lab, called after a namespace; return the options of tasks, and leave no caches of its groups."""
    made = node_group(place, "")
    required = made["spec"]["persistentVolumeSpec"]["nodeAffinity"]["required"]
    (expression,) = required["nodeSelectorTerms"][0]["matchExpressions"]
    expression.update(key="kubernetes.io/hostname", values=[_NODE])
    client.apply(made)
    try:
        yield settings(client, place)
    finally:
        for each in client.list_all(API_VERSION, "LocalModelCache"):
            if each["metadata"]["name"].startswith(f"{place}-"):
                client.delete(each)
        client.delete(made)


def of_test(name: str, place: str, **spec: Any) -> Json:
    """Return a cache of the cluster for the group of a test."""
    return cache(f"{place}-{name}", nodeGroups=[place], **spec)


def of_namespace(name: str, place: str, **spec: Any) -> Json:
    """Return a cache of the namespace of a test for its group."""
    return cache(name, place, nodeGroups=[place], **spec)


def children(name: str, place: str) -> list[Json]:
    """Return a reference to each child of `of_test`."""
    own = f"{place}-{name}"
    return [
        thing("v1", "PersistentVolume", f"{own}-{place}-download"),
        thing("v1", "PersistentVolumeClaim", f"{own}-{place}", JOBS),
        thing("batch/v1", "Job", names.job(own, "", _NODE), JOBS),
    ]


def children_of_namespace(name: str, place: str) -> list[Json]:
    """Return a reference to each child of `of_namespace`."""
    both = f"{name}-{place}-{place}-download"
    return [
        thing("v1", "PersistentVolume", both),
        thing("v1", "PersistentVolumeClaim", both, JOBS),
        thing("batch/v1", "Job", names.job(name, place, _NODE), JOBS),
    ]
