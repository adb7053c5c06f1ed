# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would store of our children and of a controller's: both are sent as dry runs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from module_utils.engine import FIELD_MANAGER
from module_utils.engine.desired import PLACEHOLDER_UID, desired
from module_utils.kube.intent import Intent
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.parity.compare import Key, by_key, key_of

SENDERS = 8


def applied(intent: Intent) -> Iterator[Json]:
    """Yield each child as the engine sends it to create it."""
    for child in intent.children:
        wanted = desired(child, intent.reference, "default")
        yield wanted.manifest(PLACEHOLDER_UID, create=True)


class Stored:
    """What the API server would store."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._pool = ThreadPoolExecutor(SENDERS)

    def of_controller(self, recorded: list[Json]) -> dict[Key, Json]:
        return by_key(self._pool.map(self._create, recorded))

    def of_ours(self, manifests: list[Json]) -> dict[Key, Json]:
        return by_key(self._pool.map(self._apply, manifests))

    def _create(self, manifest: Json) -> Json:
        query = {"dryRun": "All", "fieldManager": "a-controller"}
        return self._client.create(manifest, **query)

    def _apply(self, manifest: Json) -> Json:
        meta = manifest["metadata"]
        path = self._client.path(
            manifest["apiVersion"], manifest["kind"], meta.get("namespace", ""), meta["name"]
        )
        query = {"dryRun": "All", "fieldManager": FIELD_MANAGER, "force": "true"}
        answer: Json = self._client.request(
            "PATCH", path, query=query, body=manifest, content_type="application/apply-patch+yaml"
        )
        return answer

    def close(self) -> None:
        self._pool.shutdown()


#: Given out by the server, another one in each dry run.
GIVEN_OUT = {"Service": ("clusterIP", "clusterIPs")}


def without_given_out(found: dict[Key, Json]) -> dict[Key, Json]:
    for key, manifest in found.items():
        for field in GIVEN_OUT.get(key[1], ()):
            manifest["spec"].pop(field, None)
    return found


def with_owner(recorded: Json) -> Json:
    """Return a recorded object with a uid for its owner: the recording has none, and the API wants one."""
    meta = recorded["metadata"]
    owners = [{**owner, "uid": PLACEHOLDER_UID} for owner in meta.get("ownerReferences", [])]
    return {**recorded, "metadata": {**meta, **({"ownerReferences": owners} if owners else {})}}


def owners(manifests: list[Json]) -> dict[Key, Any]:
    return {key_of(each): each["metadata"].get("ownerReferences") for each in manifests}
