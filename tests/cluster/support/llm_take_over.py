# SPDX-License-Identifier: GPL-3.0-or-later
"""A service that KServe's controller made, which is played: what we make, put there again by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from module_utils.kube.manifest import Json
from tests.lab.client import Client

from .cluster import read, there
from .entries import Entries
from .groups import await_nothing
from .services import custom_resource

#: The name that the API server gives to writes of a program called `manager`.
MANAGER = "manager"
FINALIZER = "serving.kserve.io/llmisvc-finalizer"


@dataclass(frozen=True, slots=True)
class Made:
    """A service that its author applied and the played controller reconciled."""

    service: Json
    children: list[Json]


@contextmanager
def made_by_controller(
    client: Client, entries: Entries, service: Json, wanted: Sequence[Json], **options: Any
) -> Iterator[Made]:
    """Give a service whose children the controller has made: those that we made first, put there again by it.

    wanted: references to them. options: of the task that says how they look.
    """
    entries.reconcile(service, **options)
    found = [_as_sent(there(client, each)) for each in wanted]
    entries.reconcile(service, state="absent", wait=True)
    for each in found:
        client.wait_for(each, lambda live: live is None)
    await_nothing(client, service["metadata"]["name"], service["metadata"]["namespace"])
    owner = client.create(
        {**service, "metadata": {**service["metadata"], "finalizers": [FINALIZER]}},
        fieldManager="kubectl-create",
    )
    for each in found:
        client.create(_owned(each, owner), fieldManager=MANAGER)
    try:
        yield Made(service, found)
    finally:
        if read(client, custom_resource(service)) is not None:
            client.patch(custom_resource(service), {"metadata": {"finalizers": None}})


def _as_sent(live: Json) -> Json:
    """Return an object as its controller would have sent it. The address of a Service stays, since the certificate names it."""
    meta = live["metadata"]
    ours = "inference.modelops.io/"
    kept = {
        part: {key: value for key, value in (meta.get(part) or {}).items() if ours not in key}
        for part in ("labels", "annotations")
    }
    body = {key: value for key, value in live.items() if key not in ("metadata", "status")}
    place = {"namespace": meta["namespace"]} if "namespace" in meta else {}
    return {**body, "metadata": {"name": meta["name"], **place, **kept}}


def _owned(manifest: Json, owner: Json) -> Json:
    if "namespace" not in manifest["metadata"]:
        return manifest
    controller = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {**manifest, "metadata": {**manifest["metadata"], "ownerReferences": [controller]}}
