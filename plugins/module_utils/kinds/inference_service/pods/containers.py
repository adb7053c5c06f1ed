# SPDX-License-Identifier: GPL-3.0-or-later
"""The containers of a component that KServe knows by name. Source: KServe pkg/constants/constants.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json
from ...kserve.pod import container_of
from ..implementations import KSERVE_CONTAINER, TRANSFORMER_CONTAINER

#: The model server, or what stands for it in a transformer or explainer.
SERVER = KSERVE_CONTAINER
TRANSFORMER = TRANSFORMER_CONTAINER
WORKER = "worker-container"
#: What Knative puts before the server.
QUEUE_PROXY = "queue-proxy"
HTTP_PORT = 8080


def readers(pod: Json) -> Iterator[str]:
    """Yield the names of the containers that read the model: the server, or the worker where there is none, and a transformer."""
    server = next((name for name in (SERVER, WORKER) if container_of(pod, name)), None)
    if server:
        yield server
    if container_of(pod, TRANSFORMER):
        yield TRANSFORMER
