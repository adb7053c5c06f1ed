# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fake nodes as data: pools with their labels, taints and devices. A profile is a list of pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .commands import NODE_ANNOTATION
from .errors import LabError

Manifest = dict[str, Any]

_SIZE = {"cpu": "192", "memory": "2Ti", "ephemeral-storage": "8Ti", "pods": "1000"}


@dataclass(frozen=True)
class Taint:
    key: str
    value: str
    effect: str = "NoSchedule"

    @property
    def manifest(self) -> dict[str, str]:
        return {"key": self.key, "value": self.value, "effect": self.effect}


@dataclass(frozen=True)
class Pool:
    """Nodes of one shape, named `<name>-0`, `<name>-1`, ..."""

    name: str
    count: int
    devices: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Taint] = ()
    cordoned: bool = False

    def manifests(self) -> list[Manifest]:
        return [self._node(f"{self.name}-{number}") for number in range(self.count)]

    def _node(self, name: str) -> Manifest:
        capacity = {**_SIZE, **self.devices}
        spec: dict[str, Any] = {"taints": [taint.manifest for taint in self.taints]}
        if self.cordoned:
            spec["unschedulable"] = True
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "annotations": {NODE_ANNOTATION: "fake", "node.alpha.kubernetes.io/ttl": "0"},
                "labels": {
                    "kubernetes.io/arch": "amd64",
                    "kubernetes.io/os": "linux",
                    "kubernetes.io/hostname": name,
                    "node.kubernetes.io/instance-type": self.name,
                    "topology.kubernetes.io/region": "lab",
                    "topology.kubernetes.io/zone": "lab-a",
                    "type": "kwok",
                    **self.labels,
                },
            },
            "spec": spec,
            "status": {"capacity": capacity, "allocatable": capacity},
        }


def _nvidia(name: str, count: int, *, taints: Sequence[Taint] = (), cordoned: bool = False) -> Pool:
    labels = {
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/gpu.family": "hopper",
        "nvidia.com/gpu.memory": "81559",
        "nvidia.com/gpu.count": "8",
        "nvidia.com/gpu.machine": "lab",
        "nvidia.com/mig.capable": "true",
        "nvidia.com/mig.strategy": "single",
    }
    return Pool(name, count, {"nvidia.com/gpu": "8"}, labels, taints, cordoned)


_AMD = Pool(
    "amd",
    2,
    {"amd.com/gpu": "8"},
    {
        "amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM",
        "amd.com/gpu.vram": "192G",
        "amd.com/gpu.family": "AI",
    },
)
_GAUDI = Pool(
    "gaudi",
    2,
    {"habana.ai/gaudi": "8"},
    {"habana.ai/gaudi.product": "gaudi3", "habana.ai/gaudi.present": "true"},
)
_TPU = Pool(
    "tpu",
    2,
    {"google.com/tpu": "4"},
    {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
        "cloud.google.com/gke-accelerator-count": "4",
    },
    (Taint("google.com/tpu", "present"),),
)

#: A new profile is one more entry here.
PROFILES: dict[str, tuple[Pool, ...]] = {
    "none": (),
    "cpu": (Pool("cpu", 2),),
    "gpu": (
        _nvidia("nvidia", 4),
        _AMD,
        _GAUDI,
        _TPU,
        Pool("cpu", 2),
        _nvidia("nvidia-cordoned", 1, cordoned=True),
        _nvidia("nvidia-tainted", 1, taints=(Taint("nvidia.com/gpu", "present"),)),
    ),
}


def profile(name: str) -> list[Manifest]:
    """The nodes of a named profile."""
    if name not in PROFILES:
        raise LabError(f"no node profile named {name}; there are: {', '.join(PROFILES)}")
    return [manifest for pool in PROFILES[name] for manifest in pool.manifests()]


def is_ready(node: Manifest | None) -> bool:
    """Whether the node reports Ready and none of the taints that an unready node carries is left."""
    if node is None:
        return False
    conditions = (node.get("status") or {}).get("conditions") or ()
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
    taints = (node.get("spec") or {}).get("taints") or ()
    return ready and not any(each["key"] == "node.kubernetes.io/not-ready" for each in taints)
