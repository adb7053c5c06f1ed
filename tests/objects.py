# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the API for tests, in one line, and a cluster that holds them."""

from __future__ import annotations

from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import GivenObjects


class Cluster(GivenObjects):
    """A cluster: what it does not hold is not there."""

    complete = True


def thing(
    api_version: str,
    kind: str,
    name: str,
    namespace: str = "",
    *,
    metadata: Json | None = None,
    **parts: Any,
) -> Json:
    """Return an object. namespace: empty in cluster scope. metadata: more of it. parts: what stands beside it, as `spec`."""
    own = {"name": name, **({"namespace": namespace} if namespace else {}), **(metadata or {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": own, **parts}


def node_group(name: str, pool: str) -> dict[str, Any]:
    """Return a LocalModelNodeGroup of the nodes of one pool."""
    expression = {"key": "pool", "operator": "In", "values": [pool]}
    volume = {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "10Gi"},
        "local": {"path": "/models"},
        "storageClassName": "local-storage",
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}},
    }
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "10Gi"}},
        "storageClassName": "local-storage",
    }
    spec = {
        "storageLimit": "10Gi",
        "persistentVolumeSpec": volume,
        "persistentVolumeClaimSpec": claim,
    }
    return thing("serving.kserve.io/v1alpha1", "LocalModelNodeGroup", name, spec=spec)
