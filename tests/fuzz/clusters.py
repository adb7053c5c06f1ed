# SPDX-License-Identifier: GPL-3.0-or-later
"""Random small clusters, side by side in one control plane, on which our fit and the real scheduler judge the same pods.

A cluster is a set of nodes with a label of its own, on which all its pods insist. Nothing else keeps clusters apart.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from random import Random
from typing import Any

from module_utils.accelerators.demand import Demand, demands_of
from module_utils.accelerators.fit import Answer, Verdict, fit
from module_utils.accelerators.inventory import Inventory
from tests.lab.client import Client, wait_until
from tests.lab.commands import NODE_ANNOTATION
from tests.lab.nodes import is_ready

Json = dict[str, Any]
CLUSTER = "fit.example.com/cluster"
HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
DEVICES = ("nvidia.com/gpu", "amd.com/gpu")
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
EXISTS = {"key": "nvidia.com/gpu", "operator": "Exists"}


@dataclass(frozen=True, slots=True)
class Cluster:
    """nodes, running: what is there. waiting: workloads whose pods are to be placed, one manifest for each shape."""

    name: str
    nodes: list[Json]
    running: list[Json]
    waiting: list[Json]

    @property
    def identical(self) -> bool:
        """Whether all pods to be placed are alike."""
        return len(self.waiting) == 1


@dataclass(slots=True)
class Decided:
    """One cluster with our answers, and how many pods of each workload the scheduler has placed."""

    cluster: Cluster
    answers: list[Answer]
    placed: list[int] = field(default_factory=list)

    def disagreements(self) -> list[str]:
        """Say where the scheduler has decided otherwise."""
        lines = []
        for answer, placed in zip(self.answers, self.placed, strict=True):
            verdict, wanted = answer.verdict, answer.wanted
            least, most = min(answer.room.least, wanted), min(answer.room.most, wanted)
            if self.cluster.identical:
                # Where something is not judged, the most is a bound.
                wrong = not (0 if answer.room.unjudged else least) <= placed <= most
                wrong |= verdict is Verdict.UNCERTAIN and not answer.doubts
            else:
                wrong = verdict is Verdict.FITS and placed < wanted
            if wrong:
                lines.append(
                    f"{self.cluster.name}: {verdict.value}, room for {least} to {most} of {wanted}, placed {placed}"
                )
        impossible = [answer.verdict is Verdict.LACKS for answer in self.answers]
        if any(impossible) and sum(self.placed) == sum(answer.wanted for answer in self.answers):
            lines.append(f"{self.cluster.name}: said to lack room, and all pods were placed")
        return lines


def random_cluster(random: Random) -> Cluster:
    """Return a cluster of one to five nodes with pods that run, and one to three shapes of pods to be placed."""
    name = f"c{uuid.UUID(int=random.getrandbits(128)).hex[:10]}"
    device = random.choice(DEVICES)
    nodes = [_node(random, name, number, device) for number in range(random.randint(1, 5))]
    running = [
        _running(random, name, number, random.choice(nodes), device)
        for number in range(random.randint(0, 6))
    ]
    shapes = random.choice([1, 1, 2, 3])
    waiting = [_waiting(random, name, number, device) for number in range(shapes)]
    return Cluster(name, nodes, running, waiting)


def _node(random: Random, cluster: str, number: int, device: str) -> Json:
    name = f"{cluster}-{number}"
    sizes = {
        "cpu": random.choice(["8", "16", "64"]),
        "memory": random.choice(["32Gi", "128Gi", "1Ti"]),
        "pods": random.choice(["3", "6", "110", "110", "110", "110"]),
        "ephemeral-storage": "1Ti",
        device: str(random.choice([0, 4, 7, 8, 8, 8])),
    }
    spec: Json = {}
    if random.random() < 0.15:
        spec["taints"] = [TAINT]
    if random.random() < 0.1:
        spec["unschedulable"] = True
    labels = {
        CLUSTER: cluster,
        HOST: name,
        ZONE: f"{cluster}-{random.choice('ab')}",
        "gpus": sizes[device],
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {NODE_ANNOTATION: "fake"}},
        "spec": spec,
        "status": {"capacity": sizes, "allocatable": sizes},
    }


def _running(random: Random, cluster: str, number: int, node: Json, device: str) -> Json:
    spec = _spec(random, device, largest=2)
    spec["nodeName"] = node["metadata"]["name"]
    # It runs whatever the scheduler would say, so it must not be put there by another rule.
    labels = {"app": f"{cluster}-{random.choice(['chat-0', 'other', 'cache'])}"}
    return _pod(f"{cluster}-running-{number}", labels, spec)


def _waiting(random: Random, cluster: str, number: int, device: str) -> Json:
    # Labels of its own: pods of other clusters are in the same namespace.
    labels = {"app": f"{cluster}-chat-{number}"}
    spec = _spec(random, device, largest=8)
    spec["nodeSelector"] = {CLUSTER: cluster}
    if random.random() < 0.4:
        spec["tolerations"] = [random.choice([EXISTS, {"operator": "Exists"}])]
    if random.random() < 0.4:
        spec["affinity"] = _affinity(random, cluster, labels)
    if random.random() < 0.3:
        keys = random.choice([[HOST], [ZONE], [ZONE, HOST]])
        spec["topologySpreadConstraints"] = [_spread(random, cluster, labels, key) for key in keys]
    name = f"{cluster}-chat-{number}"
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name},
        "spec": {
            "replicas": random.randint(1, 6),
            "selector": {"matchLabels": {"instance": name}},
            "template": {"metadata": {"labels": {**labels, "instance": name}}, "spec": spec},
        },
    }


def _spec(random: Random, device: str, largest: int) -> Json:
    spec: Json = {
        "containers": [
            _container(random, "engine", {device: random.choice([0, 1, 1, 2, largest])}),
            *([_container(random, "beside", {})] if random.random() < 0.3 else []),
        ]
    }
    if random.random() < 0.3:
        devices = {device: random.choice([0, 1, largest])}
        first = _container(random, "first", devices if random.random() < 0.5 else {})
        always = {**_container(random, "sidecar", {}), "restartPolicy": "Always"}
        spec["initContainers"] = random.choice([[first], [first, always], [always, first]])
    if random.random() < 0.1:
        spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
    if random.random() < 0.1:
        spec["resources"] = {"requests": {"cpu": "12"}}
    return spec


def _container(random: Random, name: str, devices: dict[str, int]) -> Json:
    requests = {"cpu": random.choice(["0", "100m", "1", "1", "4"])}
    if random.random() < 0.5:
        requests["memory"] = random.choice(["1Gi", "1Gi", "20Gi", "60Gi"])
    limits = {device: str(count) for device, count in devices.items() if count}
    return {"name": name, "image": "x", "resources": {"requests": requests, "limits": limits}}


def _affinity(random: Random, cluster: str, labels: Json) -> Json:
    if random.random() < 0.6:
        kind = random.choice(["podAntiAffinity", "podAffinity"])
        several = random.choice([1, 1, 1, 2])
        terms = [_near(random, cluster, labels) for dummy in range(several)]
        return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    expressions = random.choice(
        [
            [{"key": ZONE, "operator": "In", "values": [f"{cluster}-a"]}],
            [{"key": ZONE, "operator": "NotIn", "values": [f"{cluster}-a"]}],
            [{"key": "gpus", "operator": "Gt", "values": ["4"]}],
            [{"key": "nowhere", "operator": "DoesNotExist"}],
        ]
    )
    terms = [{"matchExpressions": expressions}]
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
        }
    }


def _near(random: Random, cluster: str, labels: Json) -> Json:
    """Return a term about the pods themselves or about others."""
    selector = random.choice([labels, labels, {"app": f"{cluster}-cache"}])
    return {"labelSelector": {"matchLabels": selector}, "topologyKey": random.choice([HOST, ZONE])}


def _spread(random: Random, cluster: str, labels: Json, key: str) -> Json:
    selector = random.choice([labels, labels, labels, {"app": f"{cluster}-other"}])
    more: Json = random.choice(
        [
            {},
            {},
            {"minDomains": random.choice([1, 2, 3])},
            {"nodeTaintsPolicy": "Honor"},
            {"nodeAffinityPolicy": "Ignore"},
            {"matchLabelKeys": ["instance"]},
            {"whenUnsatisfiable": "ScheduleAnyway"},
        ]
    )
    return {
        "topologyKey": key,
        "maxSkew": random.choice([1, 1, 2]),
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": selector},
        **more,
    }


def _pod(name: str, labels: Json, spec: Json) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
    }


def decide(client: Client, namespace: str, clusters: list[Cluster]) -> list[Decided]:
    """Set clusters up, ask our fit, let the scheduler decide, and return both; everything is deleted again."""
    nodes = [node for cluster in clusters for node in cluster.nodes]
    try:
        client.apply_all(nodes)
        _wait_for_nodes(client, {node["metadata"]["name"] for node in nodes})
        client.apply_all(_within(namespace, [pod for each in clusters for pod in each.running]))
        decided = [Decided(cluster, _judge(client, namespace, cluster)) for cluster in clusters]
        client.apply_all(_within(namespace, [one for each in clusters for one in each.waiting]))
        for each in decided:
            each.placed = [
                _placed(client, namespace, workload) for workload in each.cluster.waiting
            ]
        return decided
    finally:
        for manifest in _within(namespace, [one for each in clusters for one in each.waiting]):
            client.delete(manifest)
        for node in nodes:
            client.delete(node)


def _within(namespace: str, manifests: list[Json]) -> list[Json]:
    return [
        {**each, "metadata": {**each["metadata"], "namespace": namespace}} for each in manifests
    ]


def _wait_for_nodes(client: Client, names: set[str]) -> None:
    def look() -> tuple[bool, list[str]]:
        live = {node["metadata"]["name"]: node for node in client.list_all("v1", "Node")}
        missing = [name for name in sorted(names) if not is_ready(live.get(name))]
        return not missing, missing

    wait_until(look, "nodes to be ready", 180)


def _judge(client: Client, namespace: str, cluster: Cluster) -> list[Answer]:
    """Judge by what the server holds, not by what was sent."""
    demands: list[Demand] = [
        demand
        for workload in _within(namespace, cluster.waiting)
        for demand in demands_of(workload)
    ]
    inventory = Inventory(demands)
    for node in client.list_all("v1", "Node"):
        inventory.add_node(node)
    for pod in client.list_all("v1", "Pod"):
        inventory.add_pod(pod)
    return fit(demands, inventory)


def _placed(client: Client, namespace: str, workload: Json) -> int:
    """Wait until the scheduler has decided about each pod, and return how many have a node."""
    name, wanted = workload["metadata"]["name"], workload["spec"]["replicas"]

    def look() -> tuple[bool, int]:
        pods = client.list_all("v1", "Pod", namespace, labelSelector=f"instance={name}")
        placed = sum(bool(pod["spec"].get("nodeName")) for pod in pods)
        refused = sum(_is_refused(pod) for pod in pods)
        return placed + refused == wanted, placed

    placed: int = wait_until(look, f"the scheduler to decide about {name}", 180)
    return placed


def _is_refused(pod: Json) -> bool:
    return any(
        condition["type"] == "PodScheduled" and condition["status"] == "False"
        for condition in (pod.get("status") or {}).get("conditions") or ()
    )
