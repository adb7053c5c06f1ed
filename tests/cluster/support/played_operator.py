# SPDX-License-Identifier: GPL-3.0-or-later
"""model-operator played: it sends what the real one was recorded to send, as its reconcile loop does, under its field manager.

The operator's program cannot be had here. Source: reference of the operator's behaviour, "What each Ensure compares and overwrites".
"""

from __future__ import annotations

from copy import deepcopy

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from tests.lab.client import Client

from .cluster import read
from .services import custom_resource

#: The name that the API server gives to writes of a program called `manager`.
FIELD_MANAGER = "manager"
FINALIZER = "model.otterscale.io/epp-cluster-rbac"
#: What of a kind an update replaces, labels apart; all of the body where a kind is not named.
REPLACED = {
    "Service": (("spec", "ports"), ("spec", "selector")),
    "ServiceAccount": (),
    "Secret": (("metadata", "annotations"),),
}


class PlayedOperator:
    """One operator. sent: the children of one service as the real operator sent them on create, in its order."""

    def __init__(self, client: Client, sent: list[Json], manager: str = FIELD_MANAGER) -> None:
        self._client = client
        self._sent = sent
        self._manager = manager

    def reconcile(self, service: Json) -> None:
        """Create or update every child, after the finalizer; then write the status."""
        live = read(self._client, custom_resource(service))
        assert live is not None, "the custom resource has to be there first"
        meta = live["metadata"]
        if FINALIZER not in meta.get("finalizers", []):
            live = self._put({**live, "metadata": {**meta, "finalizers": [FINALIZER]}})
        for manifest in self._sent:
            self._ensure(manifest, live["metadata"]["uid"])
        ready = {
            "type": "Ready",
            "status": "False",
            "reason": "PodsStarting",
            "message": "Waiting for serving pods to become ready",
            "observedGeneration": live["metadata"]["generation"],
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        self._client.request(
            "PATCH",
            self._path(live) + "/status",
            query={"fieldManager": self._manager},
            body={"status": {"phase": "Running", "conditions": [ready]}},
            content_type="application/merge-patch+json",
        )

    def _ensure(self, manifest: Json, uid: str) -> None:
        wanted = deepcopy(manifest)
        for reference in wanted["metadata"].get("ownerReferences", []):
            reference["uid"] = uid
        live = read(self._client, wanted)
        if live is None:
            self._client.create(wanted, fieldManager=self._manager)
            return
        live["metadata"]["labels"] = wanted["metadata"]["labels"]
        body = [(key,) for key in wanted if key not in ("apiVersion", "kind", "metadata")]
        for path in REPLACED.get(wanted["kind"], body):
            source, target = wanted, live
            for step in path[:-1]:
                source, target = source[step], target[step]
            if path[-1] in source:
                target[path[-1]] = source[path[-1]]
        self._put(live)

    def _put(self, manifest: Json) -> Json:
        query = {"fieldManager": self._manager}
        answer: Json = self._client.request("PUT", self._path(manifest), query=query, body=manifest)
        return answer

    def _path(self, manifest: Json) -> str:
        meta = manifest["metadata"]
        return self._client.path(
            manifest["apiVersion"], manifest["kind"], meta.get("namespace", ""), meta["name"]
        )
