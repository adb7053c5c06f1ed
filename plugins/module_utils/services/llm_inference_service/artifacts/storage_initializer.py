# SPDX-License-Identifier: GPL-3.0-or-later
"""The init container that fetches a model into a volume. Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.7."""

from __future__ import annotations

from ....kube.manifest import Json
from ....kube.reader import Reader
from ..pod import MAIN, appended, has_volume, mounted
from ..resolved import Resolved
from .ca_bundle import with_ca_bundle
from .credentials import with_credentials
from .modelcar import VOLUME

MODEL_PATH = "/mnt/models"
NAME = "storage-initializer"
_DEFAULT_IMAGE = "kserve/storage-initializer:latest"


def with_storage_initializer(
    pod: Json, uri: str, resolved: Resolved, reader: Reader, account: Json | None
) -> Json:
    """Return a pod spec that fetches its model. account: the live ServiceAccount, None for `default`. Raises ArtifactError."""
    volume = {"name": VOLUME, "emptyDir": {}}
    pod = mounted(pod, MAIN, volume, {**_mount(), "readOnly": True})
    pod = appended(pod, "initContainers", _container(uri, resolved))
    if not has_volume(pod, VOLUME):
        # There is no server to mount it: the fetching goes on all the same, as with the controller.
        pod = appended(pod, "volumes", volume)
    pod = with_credentials(pod, resolved, reader, account)
    return with_ca_bundle(pod, resolved) if uri.startswith("s3://") else pod


def _mount() -> Json:
    return {"name": VOLUME, "mountPath": MODEL_PATH}


def _container(uri: str, resolved: Resolved) -> Json:
    storage = resolved.config.storage
    return {
        "name": NAME,
        "image": storage.image or _DEFAULT_IMAGE,
        "args": [uri, MODEL_PATH],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "resources": {
            "limits": {"cpu": storage.cpu_limit, "memory": storage.memory_limit},
            "requests": {"cpu": storage.cpu_request, "memory": storage.memory_request},
        },
        "volumeMounts": [_mount()],
    }
