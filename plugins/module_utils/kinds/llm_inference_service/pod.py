# SPDX-License-Identifier: GPL-3.0-or-later
"""The containers of a pod that its service knows by name."""

from __future__ import annotations

from ...kube.manifest import Json
from ..kserve.pod import changed, container_of

MAIN = "main"
SIDECAR = "llm-d-routing-sidecar"
POOL_VARIABLE = "INFERENCE_POOL_NAME"


def has_sidecar(pod: Json | None) -> bool:
    """Tell whether a pod sends the prefill part of requests elsewhere."""
    return container_of(pod, SIDECAR, "initContainers") is not None


def with_pool(pod: Json, pool: str) -> Json:
    """Return a pod whose sidecar knows its InferencePool.

    A variable of that name that is there already has no effect beside a second one, and server-side apply takes only one.
    """

    def knowing(sidecar: Json) -> Json:
        env = [item for item in sidecar.get("env") or () if item.get("name") != POOL_VARIABLE]
        return {**sidecar, "env": [*env, {"name": POOL_VARIABLE, "value": pool}]}

    return changed(pod, SIDECAR, knowing, "initContainers")
