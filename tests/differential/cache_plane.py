# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands around KServe's controller of caches and its agent on one node, which has a folder of its own that nothing ever fills."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.local_models import (
    CACHE,
    NAMESPACE_CACHE,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from tests.lab import crds
from tests.lab.client import ApiError, Client, wait_until
from tests.objects import Cluster, thing
from tests.parity.recorded_local_models import context

from .build import built, local_models, node_agent
from .modules import MODULES
from .plane import Plane

Json = dict[str, Any]
API_VERSION = "serving.kserve.io/v1alpha1"
#: The namespace of the Jobs, the node on which the agent is, and the namespaces of services.
JOBS, NODE, TEAMS = "jobs", "n0", ("team-a", "team-b", "team-c")
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
    (API_VERSION, CACHE),
    (API_VERSION, NAMESPACE_CACHE),
)
_FULL, _MINIMAL = "config/crd/full", "config/crd/minimal"
_CACHES = ("localmodelcaches", "localmodelnodegroups", "localmodelnodes")
_SERVICES = (
    "serving.kserve.io_inferenceservices",
    "llmisvc/serving.kserve.io_llminferenceservices",
)
_WEBHOOKS = "config/webhook/localmodel/manifests.yaml"
#: What downloads get: accounts with a Secret, and a Secret that describes storages.
_CREDENTIALS = [each for each in context() if each["kind"] in ("Secret", "ServiceAccount")]


def plane_of(release: KServe) -> Plane:
    """Return a plane for the controller of caches of a release, with the CRDs of the services that use them."""
    programs = built(local_models(MODULES[release].kserve), print)
    webhooks = crds.documents(MODULES[release].of_kserve(_WEBHOOKS))
    return Plane(programs, _definitions(release), webhooks)


def _definitions(release: KServe) -> list[Json]:
    """Return the CRDs of caches, and those of services without their fields: of these a server reads labels and the model alone."""
    caches = (*_CACHES, *(("localmodelnamespacecaches",) if release >= KServe.V0_18 else ()))
    modules = MODULES[release]
    own = modules.of_kserve(
        *(f"{_FULL}/localmodel/serving.kserve.io_{name}.yaml" for name in caches),
        f"{_FULL}/clusterstoragecontainer/serving.kserve.io_clusterstoragecontainers.yaml",
    )
    services = modules.of_kserve(
        *(f"{_MINIMAL}/{name}.yaml" for name in _SERVICES),
    )
    return [*crds.documents(own), *map(_any_fields, crds.documents(services))]


def _any_fields(definition: Json) -> Json:
    """Return a CRD that takes whatever is written."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    versions = [
        {**each, "schema": {"openAPIV3Schema": schema}} for each in definition["spec"]["versions"]
    ]
    return {**definition, "spec": {**definition["spec"], "versions": versions}}


def prepare(client: Client, objects: Iterable[Json]) -> None:
    """Put what is there before every cache: namespaces, credentials and given objects, each with its status."""
    for name in ("kserve", JOBS, *TEAMS):
        client.apply(thing("v1", "Namespace", name))
    for each in (*_CREDENTIALS, *objects):
        client.apply({key: each[key] for key in each if key != "status"})
        if each.get("status"):
            client.patch_status(each, each["status"])


def start_agent(plane: Plane, release: KServe) -> None:
    """Start the agent, and wait until it has started its Jobs."""
    agent = built(node_agent(MODULES[release].kserve), print).controller
    plane.start_beside("agent", agent, NODE_NAME=NODE)
    await_jobs(plane.client)


def await_jobs(client: Client) -> None:
    """Wait until the agent has started its Jobs."""
    wait_until(lambda: (_all_started(client), "Jobs"), "the agent to start its Jobs", 120)


def settle(plane: Plane) -> None:
    """Wait until the controller has nothing to do."""
    before, since = -1.0, time.monotonic()
    while time.monotonic() - since < _QUIET:
        now = plane.reconciled()
        if now != before or plane.queue():
            before, since = now, time.monotonic()
        time.sleep(0.5)


def listed(client: Client, api_version: str, kind: str) -> list[Json]:
    """Return all objects of a kind, none of one that a release does not have."""
    try:
        return client.list_all(api_version, kind)
    except (ApiError, LookupError):
        return []


def objects(client: Client) -> list[Json]:
    """Return all objects at which we look."""
    return [each for kind in _KINDS for each in listed(client, *kind)]


def seen(client: Client) -> Cluster:
    """Return what we look at."""
    return Cluster(objects(client))


def container_of(job: Json) -> Json:
    """Return the only container of a Job."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    return dict(container)


def _all_started(client: Client) -> bool:
    """Tell whether the agent has a Job of each address that its node is to have."""
    node = client.get(API_VERSION, "LocalModelNode", NODE)
    wanted = {
        each["sourceModelUri"] for each in ((node or {}).get("spec") or {}).get("localModels") or ()
    }
    there = {container_of(each)["args"][0] for each in listed(client, "batch/v1", "Job")}
    return wanted <= there
