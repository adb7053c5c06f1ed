# SPDX-License-Identifier: GPL-3.0-or-later
"""Which resources count as GPUs. Source: KServe pkg/utils/utils.go@v0.17.0."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from ...kube.manifest import Json

GPU_TYPES_ANNOTATION = "serving.kserve.io/gpu-resource-types"

KNOWN_GPUS = ("nvidia.com/gpu", "amd.com/gpu", "intel.com/gpu", "habana.ai/gaudi")
_COMMON = ("cpu", "memory", "storage", "ephemeral-storage")


def annotated_gpus(annotations: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the GPUs that a service names; None where its list cannot be read."""
    text = annotations.get(GPU_TYPES_ANNOTATION, "")
    if not text:
        return ()
    try:
        found = json.loads(text)
    except ValueError:
        return None
    usable = isinstance(found, list) and found and all(isinstance(n, str) and n for n in found)
    return tuple(found) if usable else None


def gpu_types(annotations: Mapping[str, str], configured: Collection[str]) -> tuple[str, ...]:
    """Return the names that count as GPUs for a service, in the order in which they are looked for."""
    return tuple(dict.fromkeys((*KNOWN_GPUS, *configured, *(annotated_gpus(annotations) or ()))))


def unknown_devices(
    container: Json, annotations: Mapping[str, str], configured: Collection[str]
) -> list[str]:
    """Return the resources of a container that are neither common nor GPUs."""
    resources = container.get("resources") or {}
    named = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    known = {*_COMMON, *gpu_types(annotations, configured)}
    return [name for name in named if name not in known]
