# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in which an engine keeps what does not fit into the memory for its KV cache.

Source: KServe pkg/controller/v1alpha2/llmisvc/workload_kvcache.go@v0.20.0.
"""

from __future__ import annotations

from ....kube.manifest import Json, value_at
from ....kube.quantity import canonical_quantity, parse_quantity
from ...kserve.pod import appended, changed
from ..pod import MAIN

_STORAGE = "ephemeral-storage"


def volume_name(number: int) -> str:
    """Return the name of the volume with the files of a tier."""
    return f"kv-cache-secondary-{number}"


def mount_path(number: int) -> str:
    """Return where the files of a tier are in the engine's container."""
    return f"/mnt/kv-cache-{number}"


def with_tiers(pod: Json, offloading: Json | None) -> Json:
    """Return a pod spec with a volume for each tier of files. offloading: `kvCacheOffloading` of its workload."""
    for number, tier in enumerate((offloading or {}).get("secondary") or ()):
        files = tier.get("fileSystem") or {}
        found = _source(files)
        if found is None:
            continue
        source, path = found
        name = volume_name(number)
        mount: Json = {"name": name, "mountPath": mount_path(number)}
        mount = {**mount, "subPath": path} if path else mount
        size = value_at(files, ("emptyDir", "size"))
        pod = appended(pod, "volumes", {"name": name, **source})
        pod = changed(pod, MAIN, lambda one: _asking(appended(one, "volumeMounts", mount), size))  # noqa: B023
    return pod


def _source(files: Json) -> tuple[Json, str] | None:
    """Return the volume of a tier and the folder in it, None where it has none."""
    if files.get("emptyDir") is not None:
        return {"emptyDir": {"sizeLimit": files["emptyDir"].get("size")}}, ""
    claim = files.get("pvc") or {}
    if claim.get("spec") is not None:
        return {"ephemeral": {"volumeClaimTemplate": {"spec": claim["spec"]}}}, ""
    named = claim.get("ref")
    if named is None:
        return None
    return {"persistentVolumeClaim": {"claimName": named.get("name")}}, named.get("path") or ""


def _asking(container: Json, size: str | None) -> Json:
    """Return a container that asks its node for room for a tier on the node's own disk."""
    if size is None:
        return container
    resources = container.get("resources") or {}
    requests = resources.get("requests") or {}
    total = parse_quantity(str(requests.get(_STORAGE, "0"))) + parse_quantity(str(size))
    amount = canonical_quantity(str(size)) if _STORAGE not in requests else str(int(total))
    return {**container, "resources": {**resources, "requests": {**requests, _STORAGE: amount}}}
