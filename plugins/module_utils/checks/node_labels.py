# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels by which pods choose their nodes, and whose values come from a closed list: with another value no node is chosen.

Source: Kubernetes documentation, Well-Known Labels, Annotations and Taints; Karpenter, Scheduling; Amazon EKS, Managed node groups; Google
Kubernetes Engine, Spot VMs and GPU sharing; Azure Kubernetes Service, Use labels; NVIDIA k8s-device-plugin docs/gpu-feature-discovery.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from .node_demands import PREFERRED, REQUIRED, Demand, preferred, required, selected, with_values

#: Architectures as Go calls them, and what else people call them.
_ARCHITECTURES = ("amd64", "arm64", "ppc64le", "s390x", "riscv64", "loong64", "arm", "386")
_OTHER_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("x86_64", "x86-64", "x86", "x64", "intel", "amd"), "amd64"),
    **dict.fromkeys(("aarch64", "armv8", "graviton"), "arm64"),
    **dict.fromkeys(("i386", "i686"), "386"),
    **dict.fromkeys(("yes", "1", "present"), "true"),
    **dict.fromkeys(("no", "0"), "false"),
}
_SYSTEMS = ("linux", "windows")
_TRUE, _EITHER = ("true",), ("true", "false")
_LISTS: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/arch": _ARCHITECTURES,
    "beta.kubernetes.io/arch": _ARCHITECTURES,
    "kubernetes.io/os": _SYSTEMS,
    "beta.kubernetes.io/os": _SYSTEMS,
    "karpenter.sh/capacity-type": ("spot", "on-demand", "reserved"),
    "eks.amazonaws.com/capacityType": ("SPOT", "ON_DEMAND", "CAPACITY_BLOCK"),
    "cloud.google.com/gke-provisioning": ("standard", "spot", "preemptible"),
    "cloud.google.com/gke-spot": _TRUE,
    "cloud.google.com/gke-preemptible": _TRUE,
    "cloud.google.com/gke-gpu-sharing-strategy": ("time-sharing", "mps"),
    "kubernetes.azure.com/mode": ("system", "user"),
    "kubernetes.azure.com/scalesetpriority": ("spot", "regular"),
    "nvidia.com/gpu.present": _TRUE,
    "nvidia.com/gpu.sharing-strategy": ("none", "mps", "time-slicing"),
    "nvidia.com/mig.capable": _EITHER,
    "nvidia.com/mig.strategy": ("none", "single", "mixed"),
    "nvidia.com/mps.capable": _EITHER,
    "nvidia.com/mig.config.state": ("success", "failed", "pending", "rebooting"),
    "karpenter.sh/registered": _TRUE,
    "karpenter.sh/initialized": _TRUE,
}
#: Values by which NVIDIA's operator marks nodes that work; with another one of the list a node gives no devices, or soon none.
_HEALTHY: Mapping[str, tuple[str, ...]] = {
    "nvidia.com/mig.config.state": ("success",),
    "nvidia.com/gpu-driver-upgrade-state": ("upgrade-done",),
}
#: Labels whose lists grow: of these only what is nearly a known value is reported.
_GROWING: Mapping[str, tuple[str, ...]] = {
    "nvidia.com/gpu.family": (
        *("kepler", "maxwell", "pascal", "volta", "turing", "ampere"),
        *("ada-lovelace", "hopper", "blackwell"),
    ),
}


class _Form(NamedTuple):
    """What values of a label look like. says: in words."""

    pattern: re.Pattern[str]
    says: str


_NUMBER = _Form(re.compile(r"[0-9]+"), "numbers")
_FORMS: Mapping[str, _Form] = {
    "nvidia.com/gpu.count": _NUMBER,
    "nvidia.com/gpu.memory": _Form(_NUMBER.pattern, "numbers of MiB without a unit"),
    "nvidia.com/gpu.compute.major": _NUMBER,
    "nvidia.com/gpu.compute.minor": _NUMBER,
    "nvidia.com/gpu.product": _Form(
        re.compile(r".*[-_].*"), "whole names, for example NVIDIA-H100-80GB-HBM3"
    ),
    "cloud.google.com/gke-tpu-topology": _Form(
        re.compile(r"[0-9]+(x[0-9]+){1,2}"), "topologies, for example 2x4"
    ),
}
#: Names that people write for others.
_MEANT: Mapping[str, str] = {
    "kubernetes.io/architecture": "kubernetes.io/arch",
    "node.kubernetes.io/arch": "kubernetes.io/arch",
    "node.kubernetes.io/os": "kubernetes.io/os",
    "kubernetes.io/host": "kubernetes.io/hostname",
    "node.kubernetes.io/hostname": "kubernetes.io/hostname",
    "kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "kubernetes.io/region": "topology.kubernetes.io/region",
    "kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/availability-zone": "topology.kubernetes.io/zone",
    "nvidia.com/gpu.name": "nvidia.com/gpu.product",
    "nvidia.com/gpu.type": "nvidia.com/gpu.product",
}
#: Labels that nodes have beside those above.
_MORE = (
    *(
        "kubernetes.io/hostname",
        "node.kubernetes.io/instance-type",
        "node.kubernetes.io/windows-build",
    ),
    *("topology.kubernetes.io/region", "topology.kubernetes.io/zone"),
    *("cloud.google.com/gke-accelerator", "cloud.google.com/gke-accelerator-count"),
    *("cloud.google.com/gke-nodepool", "cloud.google.com/gke-boot-disk"),
    *("cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-gpu-partition-size"),
    *("cloud.google.com/compute-class", "cloud.google.com/machine-family"),
    *("eks.amazonaws.com/nodegroup", "eks.amazonaws.com/compute-type"),
    "karpenter.sh/nodepool",
    *("nvidia.com/gpu.machine", "nvidia.com/gpu.mode", "nvidia.com/gpu.replicas"),
    *("nvidia.com/gpu.clique", "nvidia.com/mig.config"),
    *("nvidia.com/gpu-driver-upgrade-state", "nvidia.com/gpu.deploy.device-plugin"),
    *("nvidia.com/gpu.deploy.driver", "nvidia.com/gpu.deploy.dcgm-exporter"),
)
#: Taints by which nodes with devices, and nodes in trouble, keep pods away.
_TAINTS = (
    *("amd.com/gpu", "google.com/tpu", "habana.ai/gaudi", "nvidia.com/gpu"),
    *("cloud.google.com/gke-spot", "kubernetes.azure.com/scalesetpriority"),
    *("node.kubernetes.io/disk-pressure", "node.kubernetes.io/memory-pressure"),
    *("node.kubernetes.io/network-unavailable", "node.kubernetes.io/not-ready"),
    *("node.kubernetes.io/out-of-service", "node.kubernetes.io/pid-pressure"),
    *("node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable"),
    *("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"),
)
_MEANT_TAINTS: Mapping[str, str] = {"amd/gpu": "amd.com/gpu", "nvidia/gpu": "nvidia.com/gpu"}
#: One letter or mark may differ.
_LIKENESS = 0.93
#: Operators of affinities that name values as they are at nodes.
_OPERATORS = ("In", "NotIn")

VALUE = Check(
    "node-label",
    WARNING,
    finds="no node has {label}: {value}; the values of this label are {known}",
    fix="{way}",
)
TROUBLE = Check(
    "node-label",
    WARNING,
    finds="{label}: {value} marks nodes that give no devices: the pods find no room",
    fix="write {healthy}, or leave it out",
)
NAME = Check(
    "node-label",
    WARNING,
    finds="no node has a label {label}",
    fix="write {meant}",
)
TAINT = Check(
    "node-label",
    WARNING,
    finds="no node has a taint {taint}, so this tolerates nothing",
    fix="write {meant}",
)


@check(TAINT, costly=True)
def node_taint(view: ServiceView) -> Iterator[Problem]:
    """Yield tolerations whose keys are nearly those of well-known taints."""
    for workload in view.workloads:
        for number, each in enumerate(workload.pod.get("tolerations") or ()):
            key = str(each.get("key") or "")
            meant = _MEANT_TAINTS.get(key) or nearest(key, _TAINTS, _LIKENESS)
            if key and meant and key not in _TAINTS:
                place = workload.fields(f"tolerations[{number}].key")
                yield TAINT.at(place, taint=key, meant=meant)


@check(NAME, costly=True)
def node_label_name(view: ServiceView) -> Iterator[Problem]:
    """Yield names that are nearly those of well-known labels of nodes."""
    known = (*_LISTS, *_GROWING, *_FORMS, *_MORE)
    prefixes = {each.partition("/")[0] for each in known}
    for workload in view.workloads:
        for label, path in _names(workload):
            if label in known or label.partition("/")[0] not in prefixes:
                continue
            meant = _MEANT.get(label) or nearest(label, known, _LIKENESS)
            if meant:
                yield NAME.at(workload.fields(path), label=label, meant=meant)


@check(VALUE, costly=True)
def node_label(view: ServiceView) -> Iterator[Problem]:
    """Yield values of well-known labels that no node has."""
    for workload in view.workloads:
        for label, value, path in _asked(workload):
            known, meant = _known(label, value)
            if known:
                way = f"write {meant}" if meant else "write one of these"
                yield VALUE.at(
                    workload.fields(path), label=label, value=value, known=known, way=way
                )


@check(TROUBLE, costly=True)
def node_in_trouble(view: ServiceView) -> Iterator[Problem]:
    """Yield pods that only go to nodes whose devices cannot be used."""
    for workload in view.workloads:
        demands = [*selected(workload), *chain.from_iterable(required(workload))]
        for demand in with_values(demands):
            label, values = demand.key, demand.values
            healthy = _HEALTHY.get(label)
            known = _LISTS.get(label, values)
            if healthy and not {*values} & {*healthy} and {*values} <= {*known}:
                place = workload.fields(demand.path)
                shown = ", ".join(values)
                yield TROUBLE.at(place, label=label, value=shown, healthy=healthy[0])


def _known(label: str, value: str) -> tuple[str, str]:
    """Return what nodes have at a label and which of it is meant, empty where a value is one of these, or where nobody knows."""
    form = _FORMS.get(label)
    if form is not None:
        return ("", "") if form.pattern.fullmatch(value) else (form.says, "")
    values = _LISTS.get(label) or _GROWING.get(label) or ()
    if value in values:
        return "", ""
    meant = nearest(_OTHER_NAMES.get(value.lower(), value), values) or ""
    if label in _GROWING and not meant:
        return "", ""
    return ", ".join(values), meant


def _names(workload: Workload) -> Iterator[tuple[str, str]]:
    """Yield the labels of nodes that pods name, whatever the value, each with where it is in the pod."""
    yield from ((each.key, each.key_path) for each in _all(workload))
    for number, each in enumerate(workload.pod.get("topologySpreadConstraints") or ()):
        yield str(each.get("topologyKey")), f"topologySpreadConstraints[{number}].topologyKey"
    affinity: Json = workload.pod.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        given: Json = affinity.get(kind) or {}
        for number, each in enumerate(given.get(REQUIRED) or ()):
            yield (
                str(each.get("topologyKey")),
                f"affinity.{kind}.{REQUIRED}[{number}].topologyKey",
            )
        for number, each in enumerate(given.get(PREFERRED) or ()):
            key = value_at(each, ("podAffinityTerm", "topologyKey"))
            yield str(key), f"affinity.{kind}.{PREFERRED}[{number}].podAffinityTerm.topologyKey"


def _asked(workload: Workload) -> Iterator[tuple[str, str, str]]:
    """Yield the labels that pods ask of nodes: the name, the value, and where it is in the pod."""
    for each in _all(workload):
        for number, value in enumerate(each.values if each.operator in _OPERATORS else ()):
            yield each.key, value, each.value_path(number)


def _all(workload: Workload) -> list[Demand]:
    terms = (*required(workload), *preferred(workload))
    return [*selected(workload), *chain.from_iterable(terms)]
