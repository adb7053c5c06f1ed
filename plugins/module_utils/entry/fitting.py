# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether workloads fit a cluster: reads what is needed, page by page, and turns answers into problems."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..accelerators.demand import Demand, demands_of, templates_of
from ..accelerators.explain import explain
from ..accelerators.fit import Answer, Verdict, fit
from ..accelerators.inventory import Inventory
from ..accelerators.queues import API_VERSIONS, QUEUE_LABEL, queue_problems
from ..accelerators.quota import quota_problems, range_problems, with_defaults
from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, Gone, KindMissing
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import GivenObjects

_AUTOSCALER = ("autoscaling/v2", "HorizontalPodAutoscaler")
_DEVICE_CLASS = ("resource.k8s.io/v1", "DeviceClass")
#: What can be checked.
CHECKS = ("fit", "quota", "limits")


class Source(Protocol):
    """Where objects are read: a cluster, or manifests that the user gives."""

    def each(self, api_version: str, kind: str, namespace: str = "") -> Iterator[Json]:
        """Yield the objects of a kind. Raises Forbidden."""


class LiveObjects:
    """The objects of a cluster, of which one page at a time is held."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def each(self, api_version: str, kind: str, namespace: str = "") -> Iterator[Json]:
        """Yield the objects of a kind; none where the server does not know the kind."""
        try:
            for page in self._cluster.pages(api_version, kind, namespace=namespace):
                yield from page.items
        except KindMissing:
            return


class GivenManifests:
    """Objects that the user gives."""

    def __init__(self, manifests: Sequence[Json]) -> None:
        self._objects = GivenObjects(manifests)

    def each(self, api_version: str, kind: str, namespace: str = "") -> Iterator[Json]:
        """Yield the given objects of a kind."""
        yield from self._objects.list(api_version, kind, namespace, {})


@dataclass(slots=True)
class Judged:
    """answers: about each demand. problems: by the workload's place in the list. notes: what could not be looked at."""

    inventory: Inventory
    answers: list[Answer] = field(default_factory=list)
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)


def judge(
    source: Source,
    workloads: Sequence[Json],
    changed: Collection[int] = (),
    checks: Collection[str] = CHECKS,
) -> Judged:
    """Judge workloads together. changed: places of those whose running pods are replaced.

    Raises Forbidden where nodes may not be listed; pods and what limits a namespace are noted where they may not.
    """
    notes: list[Problem] = []
    namespaces = sorted({_namespace(workload) for workload in workloads})
    limited = "limits" in checks
    ranges = _by_namespace(source, "LimitRange", namespaces, notes) if limited else {}
    numbered = [
        (number, demand)
        for number, workload in enumerate(workloads)
        for demand in demands_of(_defaulted(workload, ranges.get(_namespace(workload), ())))
    ]
    ceilings = _ceilings(source, namespaces)
    demands = [_growing(demand, ceilings) for dummy, demand in numbered]
    inventory = take_inventory(source, demands, notes)
    replaced = frozenset(
        place for place, (number, dummy) in enumerate(numbered) if number in changed
    )
    judged = Judged(inventory, fit(demands, inventory, replaced), notes=notes)
    for (number, demand), answer in zip(numbered, judged.answers, strict=True):
        found = list(_of_the_answer(answer, inventory)) if "fit" in checks else []
        found += range_problems(demand, ranges.get(demand.workload.namespace, ()))
        judged.problems.setdefault(number, []).extend(found)
    if "quota" in checks:
        _judge_quotas(source, workloads, numbered, judged)
    return judged


def _judge_quotas(
    source: Source,
    workloads: Sequence[Json],
    numbered: Sequence[tuple[int, Demand]],
    judged: Judged,
) -> None:
    """Add what ResourceQuotas and Kueue's queues forbid to the problems of the workloads concerned."""
    by_workload: dict[int, list[Answer]] = {}
    for (number, dummy), answer in zip(numbered, judged.answers, strict=True):
        by_workload.setdefault(number, []).append(answer)
    namespaces = sorted({_namespace(workloads[number]) for number in by_workload})
    quotas = _by_namespace(source, "ResourceQuota", namespaces, judged.notes)
    for namespace, found in quotas.items():
        concerned = [number for number in by_workload if _namespace(workloads[number]) == namespace]
        answers = [answer for number in concerned for answer in by_workload[number]]
        problems = list(quota_problems(answers, found))
        for number in concerned:
            judged.problems[number].extend(problems)
    for number, answers in by_workload.items():
        labels = workloads[number]["metadata"].get("labels") or {}
        if QUEUE_LABEL in labels:
            namespace = _namespace(workloads[number])
            queues = _queues(source, namespace, judged.notes)
            if queues is not None:
                judged.problems[number].extend(
                    queue_problems(answers, labels[QUEUE_LABEL], *queues)
                )


def _queues(
    source: Source, namespace: str, notes: list[Problem]
) -> tuple[list[Json], list[Json]] | None:
    """Return the LocalQueues of a namespace and all ClusterQueues, None where they may not be listed."""
    try:
        for api_version in API_VERSIONS:
            local = list(source.each(api_version, "LocalQueue", namespace))
            if local:
                return local, list(source.each(api_version, "ClusterQueue"))
    except Forbidden:
        text = "queues of Kueue may not be listed; they are not checked"
        notes.append(Problem("", text, "warning", rule="fit-rights"))
        return None
    return [], []


def take_inventory(source: Source, demands: Sequence[Demand], notes: list[Problem]) -> Inventory:
    """Read nodes and pods. Where a page comes too late, begin again once. Raises Forbidden where nodes may not be listed."""
    try:
        return _read_inventory(source, demands, notes)
    except Gone:
        return _read_inventory(source, demands, notes)


def _read_inventory(source: Source, demands: Sequence[Demand], notes: list[Problem]) -> Inventory:
    inventory = Inventory(demands)
    for node in source.each("v1", "Node"):
        inventory.add_node(node)
    try:
        for pod in source.each("v1", "Pod"):
            inventory.add_pod(pod)
    except Forbidden:
        text = "pods of all namespaces may not be listed, so all that nodes offer counts as free"
        notes.append(Problem("", text, "warning", rule="fit-rights"))
        inventory.unseen.append("what other pods use, which may not be listed")
    try:
        for device_class in source.each(*_DEVICE_CLASS):
            inventory.add_device_class(device_class)
    except Forbidden:
        # Device classes matter where a driver serves a resource by claims; few clusters have that.
        return inventory
    return inventory


def _by_namespace(
    source: Source, kind: str, namespaces: Sequence[str], notes: list[Problem]
) -> Mapping[str, list[Json]]:
    found = {}
    for namespace in namespaces:
        try:
            found[namespace] = list(source.each("v1", kind, namespace))
        except Forbidden:
            text = f"{kind}s of namespace {namespace} may not be listed; they are not checked"
            notes.append(Problem("", text, "warning", rule="fit-rights"))
    return found


def _ceilings(source: Source, namespaces: Sequence[str]) -> dict[tuple[str, str, str], int]:
    """Return to how many pods autoscalers may grow workloads, by kind, namespace and name; none that may not be listed."""
    found = {}
    for namespace in namespaces:
        try:
            for autoscaler in source.each(*_AUTOSCALER, namespace):
                target = value_at(autoscaler, ("spec", "scaleTargetRef")) or {}
                key = (str(target.get("kind")), namespace, str(target.get("name")))
                found[key] = int(autoscaler["spec"].get("maxReplicas") or 0)
        except Forbidden:
            continue
    return found


def _growing(demand: Demand, ceilings: Mapping[tuple[str, str, str], int]) -> Demand:
    workload = demand.workload
    most = ceilings.get((workload.kind, workload.namespace, workload.name), 0)
    return replace(demand, ceiling=most) if most else demand


def _namespace(workload: Json) -> str:
    return workload["metadata"].get("namespace") or ""


def _defaulted(workload: Json, ranges: Sequence[Json]) -> Json:
    """Return a workload as the namespace's LimitRanges fill it in."""
    if not ranges:
        return workload
    filled: Json = {**workload}
    for path, template in templates_of(workload):
        spec = with_defaults(template.get("spec") or {}, ranges)
        if path:
            filled = _with(filled, (*path, "spec"), spec)
        else:
            filled["spec"] = spec
    return filled


def _with(manifest: Json, path: tuple[str, ...], value: Json) -> Json:
    head, *rest = path
    if not rest:
        return {**manifest, head: value}
    return {**manifest, head: _with(manifest.get(head) or {}, tuple(rest), value)}


def _of_the_answer(answer: Answer, inventory: Inventory) -> Iterator[Problem]:
    text = explain(answer, inventory)
    if answer.verdict is Verdict.LACKS:
        yield Problem("", text, rule="fit")
    elif answer.verdict is Verdict.UNCERTAIN:
        yield Problem("", text, "warning", rule="fit-uncertain")
    if answer.demand.ceiling > answer.demand.pods:
        more = (
            f"an autoscaler may grow it from {answer.demand.pods} to {answer.demand.ceiling} pods"
        )
        yield Problem("", more, "warning", rule="fit-autoscaled")
