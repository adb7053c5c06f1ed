# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at the cluster past the collection: what is there, and what somebody else does to it."""

from __future__ import annotations

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from tests.lab.client import Client

from .services import CHILDREN, reference

FLEET = "inference.modelops.io/fleet"
OWNER = "inference.modelops.io/owner"


def read(client: Client, wanted: Json) -> Json | None:
    """Return an object by its reference, None where it is not there."""
    meta = wanted["metadata"]
    return client.get(wanted["apiVersion"], wanted["kind"], meta["name"], meta.get("namespace", ""))


def there(client: Client, wanted: Json) -> Json:
    """Return an object that has to be there."""
    found = read(client, wanted)
    assert found is not None, f"{wanted['kind']} {wanted['metadata']['name']} is not there"
    return found


def owned(client: Client, service: Json) -> dict[str, Json]:
    """Return every object in the cluster that carries the service's owner annotation, by `Kind/name`; its own object apart."""
    meta = service["metadata"]
    owner = f"ModelService/{meta['namespace']}/{meta['name']}"
    found = {}
    for api_version, kind in dict.fromkeys((version, kind) for version, kind, dummy in CHILDREN):
        place = "" if kind.startswith("Cluster") else meta["namespace"]
        for item in client.list_all(api_version, kind, place, labelSelector=FLEET):
            if (item["metadata"].get("annotations") or {}).get(OWNER) == owner:
                found[f"{kind}/{item['metadata']['name']}"] = item
    return found


def written(live: Json) -> Json:
    """Return what was written of an object: equal twice where nothing but its status, and what its controller notes of it, changed.

    A resourceVersion tells of every write, that of a Deployment's status among them, which its controller makes at any time.
    """
    meta = dict(live["metadata"])
    del meta["resourceVersion"]
    meta["managedFields"] = [
        each for each in meta.get("managedFields", ()) if each.get("subresource") != "status"
    ]
    meta["annotations"] = {
        name: value
        for name, value in (meta.get("annotations") or {}).items()
        if name != "deployment.kubernetes.io/revision"
    }
    return {**{name: value for name, value in live.items() if name != "status"}, "metadata": meta}


def written_children(client: Client, service: Json) -> dict[str, Json]:
    """Return what was written of each child of a service, by `Kind/name`."""
    return {name: written(item) for name, item in owned(client, service).items()}


def config_map(name: str, namespace: str, **data: str) -> Json:
    """Return a ConfigMap."""
    return {**reference("v1", "ConfigMap", name, namespace), "data": data}


def claim(name: str, namespace: str) -> Json:
    """Return a claim of a volume that many pods may read."""
    return {
        **reference("v1", "PersistentVolumeClaim", name, namespace),
        "spec": {
            "accessModes": ["ReadOnlyMany"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
