# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods that a workload wants placed: how many of which shape."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..kube.leader_worker_set import KIND as _LEADER_WORKER
from ..kube.leader_worker_set import SET_LABEL
from ..kube.manifest import Json, value_at
from ..kube.reference import Reference
from ..kube.validation.resources import is_extended
from .requests import Amounts, pod_requests
from .vendors import is_device

#: Kinds of which we know where the pods are.
WORKLOADS = ("Pod", "Deployment", "StatefulSet", "ReplicaSet", "Job", _LEADER_WORKER)
_POD_IN_GROUP = "leaderworkerset.sigs.k8s.io/worker-index"
_LEADER = "leader"
_EXCLUSIVE = "leaderworkerset.sigs.k8s.io/exclusive-topology"
_EXCLUSIVE_PARTS = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"
#: What is not counted of claims, before they are looked up.
CLAIMS = "device claims (DRA)"
_DEFAULT_SURGE = "25%"


@dataclass(frozen=True, slots=True)
class Demand:
    """Identical pods of one workload.

    part: `leader` or `worker` of a LeaderWorkerSet. pods: how many there have to be. requests: of each pod, effective.
    template: labels and annotations under `metadata`, and `spec`. selector: labels that the workload's pods carry.
    surge: pods beyond the wanted number that a rolling update starts first. waits: whether it stops none before one of these is ready.
    ceiling: what an autoscaler may grow it to.
    group: pods of one group of a LeaderWorkerSet. domain: the topology key of domains that each group wants for itself.
    doubts: what is not counted.
    """

    workload: Reference
    part: str
    pods: int
    template: Json
    requests: Amounts
    selector: Mapping[str, Any]
    surge: int = 0
    waits: bool = False
    ceiling: int = 0
    group: int = 1
    domain: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def spec(self) -> Json:
        """The pods' spec."""
        spec: Json = self.template.get("spec") or {}
        return spec

    @property
    def labels(self) -> Mapping[str, str]:
        """The pods' labels, as far as they are known before a controller makes the pods."""
        written = value_at(self.template, ("metadata", "labels")) or {}
        if self.workload.kind != _LEADER_WORKER:
            return written
        return {**written, SET_LABEL: self.workload.name}

    @property
    def claims(self) -> bool:
        """Whether the pods claim devices (DRA)."""
        return bool(self.spec.get("resourceClaims"))

    @property
    def device(self) -> str:
        """The device that the pods ask for, empty where they ask for none."""
        asked = [name for name, amount in self.requests.items() if amount and is_extended(name)]
        known = [name for name in asked if is_device(name)]
        return next(iter([*known, *asked]), "")

    @property
    def subject(self) -> str:
        """How messages call it."""
        return f"{self.workload} ({self.part})" if self.part else str(self.workload)


def demands_of(manifest: Json) -> list[Demand]:
    """Return what a workload wants placed. Raises ValueError for another kind, and for requests that are no quantities."""
    if manifest["kind"] not in WORKLOADS:
        raise ValueError(f"{manifest['kind']} is not one of {', '.join(WORKLOADS)}")
    return [
        Demand(
            Reference.of(manifest),
            part,
            pods,
            template,
            pod_requests(template.get("spec") or {}),
            _selector(manifest, part, template),
            _surge(manifest, pods),
            _waits(manifest, pods),
            group=pods // max(1, value_at(manifest, ("spec", "replicas")) or 1),
            domain=_exclusive_domain(manifest),
            doubts=tuple(_doubts(manifest, template)),
        )
        for part, pods, template in _parts(manifest)
        if pods > 0
    ]


def templates_of(manifest: Json) -> list[tuple[tuple[str, ...], Json]]:
    """Return where a workload's pod templates are, each with the template."""
    spec = manifest.get("spec") or {}
    if manifest["kind"] == "Pod":
        return [((), manifest)]
    if manifest["kind"] != _LEADER_WORKER:
        return [(("spec", "template"), spec.get("template") or {})]
    found: list[tuple[tuple[str, ...], Json]] = []
    for field in ("leaderTemplate", "workerTemplate"):
        template = value_at(spec, ("leaderWorkerTemplate", field))
        if template:
            found.append((("spec", "leaderWorkerTemplate", field), template))
    return found


def _parts(manifest: Json) -> Iterator[tuple[str, int, Json]]:
    spec = manifest.get("spec") or {}
    templates = {path[-1] if path else "": template for path, template in templates_of(manifest)}
    match manifest["kind"]:
        case "Pod":
            yield "", 1, manifest
        case "Job":
            yield "", _at_once(spec), templates["template"]
        case "StatefulSet" if spec.get("volumeClaimTemplates"):
            yield "", _count(spec, "replicas"), _with_volumes(templates["template"])
        case "LeaderWorkerSet":
            groups = _count(spec, "replicas")
            size = value_at(spec, ("leaderWorkerTemplate", "size")) or 1
            if value_at(spec, ("leaderWorkerTemplate", "volumeClaimTemplates")):
                templates = {field: _with_volumes(each) for field, each in templates.items()}
            worker = templates.get("workerTemplate") or {}
            leader = templates.get("leaderTemplate")
            if leader is None:
                yield "", groups * size, worker
            else:
                yield _LEADER, groups, leader
                yield "worker", groups * (size - 1), worker
        case _:
            yield "", _count(spec, "replicas"), templates["template"]


def _at_once(job: Json) -> int:
    """Return how many pods a Job starts at a time: never more than it wants to complete."""
    pods, most = _count(job, "parallelism"), job.get("completions")
    return pods if most is None else min(pods, most)


def _count(spec: Json, field: str) -> int:
    """Return a number of pods or groups, 1 where it is left out or null."""
    given: int | None = spec.get(field)
    return 1 if given is None else given


def _exclusive_domain(manifest: Json) -> str:
    annotations = manifest["metadata"].get("annotations") or {}
    return annotations.get(_EXCLUSIVE) or "" if manifest["kind"] == _LEADER_WORKER else ""


def _doubts(manifest: Json, template: Json) -> Iterator[str]:
    if value_at(template, ("spec", "resourceClaims")):
        yield CLAIMS
    annotations = manifest["metadata"].get("annotations") or {}
    if manifest["kind"] == _LEADER_WORKER and annotations.keys() & {_EXCLUSIVE, _EXCLUSIVE_PARTS}:
        yield "exclusive topology of groups"


def _with_volumes(template: Json) -> Json:
    """Return the template of pods that each get volumes of their own."""
    spec = template.get("spec") or {}
    volumes = [*(spec.get("volumes") or ()), {"persistentVolumeClaim": {}}]
    return {**template, "spec": {**spec, "volumes": volumes}}


def _selector(manifest: Json, part: str, template: Json) -> Mapping[str, Any]:
    selector = value_at(manifest, ("spec", "selector"))
    if selector:
        return dict(selector)
    if manifest["kind"] != _LEADER_WORKER:
        return {"matchLabels": value_at(template, ("metadata", "labels")) or {}}
    group = {"matchLabels": {SET_LABEL: manifest["metadata"]["name"]}}
    if not part:
        return group
    # The leader is the first pod of its group.
    operator = "In" if part == _LEADER else "NotIn"
    first = {"key": _POD_IN_GROUP, "operator": operator, "values": ["0"]}
    return {**group, "matchExpressions": [first]}


def _surge(manifest: Json, pods: int) -> int:
    strategy = value_at(manifest, ("spec", "strategy")) or {}
    if manifest["kind"] != "Deployment" or strategy.get("type") == "Recreate":
        return 0
    most = (strategy.get("rollingUpdate") or {}).get("maxSurge", _DEFAULT_SURGE)
    if isinstance(most, str):
        return math.ceil(pods * int(most.rstrip("%")) / 100)
    return int(most)


def _waits(manifest: Json, pods: int) -> bool:
    """Return whether a rolling update may stop no pod before a new one is ready."""
    strategy = value_at(manifest, ("spec", "strategy")) or {}
    most = (strategy.get("rollingUpdate") or {}).get("maxUnavailable", _DEFAULT_SURGE)
    share = math.floor(pods * int(most.rstrip("%")) / 100) if isinstance(most, str) else int(most)
    return share == 0
