# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster has and what is taken: built from nodes and pods one by one, of which only what counts is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..kube.containers import running_in
from ..kube.manifest import Json
from .demand import Demand
from .node_eligibility import CORDONED, NOT_READY
from .pod_affinity import ANTI_AFFINITY, terms
from .requests import PODS, Amounts, amounts, pod_requests
from .resource_slices import ResourceSlices
from .scheduled_pods import ScheduledPods
from .vendors import is_device

#: A port that a pod takes on its node: address, protocol, number.
HostPort = tuple[str, str, int]
_EVERYWHERE = ("", "0.0.0.0")  # noqa: S104  # not bound here, read from manifests
_ENDED = ("Succeeded", "Failed")


@dataclass(slots=True)
class Node:
    """One node. taints: with those that a cordon and a failing kubelet mean. used: by the pods that are bound to it."""

    name: str
    labels: Mapping[str, str]
    taints: Sequence[Json]
    allocatable: Amounts
    capacity: Amounts
    used: Amounts
    ports: set[HostPort]

    def free(self, resource: str) -> int:
        """Return how much is left, 0 where more is used than there is."""
        return max(0, self.allocatable.get(resource, 0) - self.used.get(resource, 0))


@dataclass(slots=True)
class Waiting:
    """Pods that no node has taken yet, and the devices they ask for."""

    pods: int = 0
    devices: int = 0


@dataclass(slots=True)
class _Bound:
    used: Amounts = field(default_factory=lambda: {PODS: 0})
    ports: set[HostPort] = field(default_factory=set)


class Inventory:
    """Nodes with what is free on them, seen by the pods of `demands`.

    surroundings: what the pods mean to each demand. waiting: by device. published: resources that drivers serve (DRA), which nodes need not
    list. slices: what they say of them. not_counted: why some of them are not counted. unseen: what could not be looked at. blind: no node could.
    """

    def __init__(self, demands: Sequence[Demand] = ()) -> None:
        self.nodes: dict[str, Node] = {}
        self.waiting: dict[str, Waiting] = {}
        self.published: set[str] = set()
        self.not_counted: dict[str, str] = {}
        self.unseen: list[str] = []
        self.blind = False
        self.slices: ResourceSlices | None = None
        self.surroundings = [ScheduledPods(demand) for demand in demands]
        self._bound: dict[str, _Bound] = {}
        self._selective = any(each.looks_at_pods for each in self.surroundings)
        self._by_namespace: dict[str, list[ScheduledPods]] = {}
        for demand, around in zip(demands, self.surroundings, strict=True):
            self._by_namespace.setdefault(demand.workload.namespace, []).append(around)

    def add_node(self, manifest: Json) -> None:
        """Take in a node; its pods may have come before."""
        spec, status = manifest.get("spec") or {}, manifest.get("status") or {}
        name = manifest["metadata"]["name"]
        bound = self._bound.setdefault(name, _Bound())
        self.nodes[name] = Node(
            name,
            manifest["metadata"].get("labels") or {},
            _taints(spec, status),
            amounts(status.get("allocatable")),
            amounts(status.get("capacity")),
            bound.used,
            bound.ports,
        )

    def add_pod(self, manifest: Json) -> None:
        """Take in a pod. Pods that have ended hold nothing; those that are being deleted do until they are gone."""
        spec, status = manifest.get("spec") or {}, manifest.get("status") or {}
        if status.get("phase") in _ENDED:
            return
        asked = pod_requests(spec, status)
        # Room on a node is set aside for a pod for which others are being evicted there.
        node = spec.get("nodeName") or status.get("nominatedNodeName") or ""
        if node:
            bound = self._bound.setdefault(node, _Bound())
            bound.used[PODS] += 1
            for name, amount in asked.items():
                bound.used[name] = bound.used.get(name, 0) + amount
            bound.ports.update(host_ports(spec))
        else:
            self._wait(asked)
        self._compare(manifest, spec, node)

    def _wait(self, asked: Mapping[str, int]) -> None:
        for name, amount in asked.items():
            if amount and is_device(name):
                waiting = self.waiting.setdefault(name, Waiting())
                waiting.pods += 1
                waiting.devices += amount

    def _compare(self, manifest: Json, spec: Json, node: str) -> None:
        """Tell each demand of a pod that may matter to it."""
        meta = manifest["metadata"]
        namespace, labels = meta.get("namespace") or "", meta.get("labels") or {}
        if not meta.get("deletionTimestamp"):
            for around in self._by_namespace.get(namespace, ()):
                around.add_own(manifest, labels, node)
        theirs = terms(spec, ANTI_AFFINITY, namespace)
        if node and (theirs or self._selective):
            for around in self.surroundings:
                around.add(namespace, labels, node, theirs)

    def lists(self, resource: str) -> bool:
        """Return whether a node offers a resource."""
        return any(node.allocatable.get(resource) for node in self.nodes.values())

    def hide_nodes(self, why: str) -> None:
        """Note that nodes cannot be looked at."""
        self.blind = True
        self.unseen.append(why)

    def hide_published(self, resources: Iterable[str], why: str) -> None:
        """Note that resources that drivers serve cannot be counted."""
        self.not_counted |= dict.fromkeys(resources, why)

    def add_published(self, published: ResourceSlices) -> None:
        """Take in the devices of drivers (DRA); nodes have to come before. A class then counts like a resource of nodes."""
        self.slices = published
        for device_class in published.classes:
            resources = published.resources(device_class)
            self.published.update(resources)
            fault = published.fault(device_class)
            if fault:
                self.not_counted |= dict.fromkeys(resources, fault)
                continue
            for name, (there, taken) in published.by_node(device_class).items():
                for resource in resources if name in self.nodes else ():
                    self._publish(self.nodes[name], resource, there, taken)

    @staticmethod
    def _publish(node: Node, resource: str, there: int, taken: int) -> None:
        # Where a device plugin lists the resource as well, the scheduler goes by the plugin.
        if not node.allocatable.get(resource):
            node.allocatable[resource] = node.capacity[resource] = there
            node.used[resource] = taken


def _taints(spec: Json, status: Json) -> list[Json]:
    taints = list(spec.get("taints") or ())
    if spec.get("unschedulable"):
        taints.insert(0, CORDONED)
    ready = [
        condition.get("status")
        for condition in status.get("conditions") or ()
        if condition.get("type") == "Ready"
    ]
    if ready and ready[0] != "True":
        taints.insert(0, NOT_READY)
    return taints


def host_ports(spec: Json) -> set[HostPort]:
    """Return the ports that a pod takes on its node."""
    return {
        (port.get("hostIP") or "", port.get("protocol") or "TCP", port["hostPort"])
        for container, dummy in running_in(spec)
        for port in container.get("ports") or ()
        if port.get("hostPort")
    }


def ports_clash(one: set[HostPort], other: set[HostPort]) -> bool:
    """Return whether two pods want the same port of a node."""
    return any(
        left[1:] == right[1:]
        and (left[0] == right[0] or left[0] in _EVERYWHERE or right[0] in _EVERYWHERE)
        for left in one
        for right in other
    )
