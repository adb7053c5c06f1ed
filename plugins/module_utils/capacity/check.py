# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether workloads fit a cluster: reads what is needed, page by page, and turns answers into problems."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..accelerators.claim_selectors import selector_problems
from ..accelerators.demand import Demand, demands_of, templates_of
from ..accelerators.explain import explain
from ..accelerators.fit import Answer, Verdict, fit
from ..accelerators.inventory import Inventory
from ..accelerators.kueue import (
    admitted,
    misplaced_queue,
    priority_problems,
    queue_of,
    queue_problems,
    topology_problems,
)
from ..accelerators.placement import room_for
from ..accelerators.quota import quota_problems, range_problems, with_defaults
from ..accelerators.resource_claims import with_claims
from ..accelerators.resource_slices import DEVICE_API
from ..accelerators.runtime_classes import API_VERSION as RUNTIME_CLASS_API
from ..accelerators.runtime_classes import KIND as RUNTIME_CLASS
from ..accelerators.runtime_classes import with_runtime_class
from ..accelerators.shared_devices import shared_device_problems
from ..kube import gvk
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from .queues import AllQueues, read_queues
from .reader import take_inventory
from .source import Looking, Source, grows

#: There is no room, but that may change by itself.
_MORE_NODES = "not on the existing nodes, but the cluster may grow: it has an autoscaler of nodes"
_AUTOSCALER = (gvk.AUTOSCALING, "HorizontalPodAutoscaler")
#: What can be checked.
CHECKS = ("fit", "quota", "limits")


@dataclass(slots=True)
class Judged:
    """answers: about each demand. by_workload, problems: by the workload's place in the list. notes: what could not be looked at."""

    inventory: Inventory
    answers: list[Answer] = field(default_factory=list)
    by_workload: dict[int, list[Answer]] = field(default_factory=dict)
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)


def judge(
    source: Source,
    workloads: Sequence[Json],
    changed: Collection[int] = (),
    checks: Collection[str] = CHECKS,
    *,
    with_classes: bool = False,
    rollouts: bool = False,
) -> Judged:
    """Judge workloads together; what may not be listed is noted. changed: places of those whose running pods are replaced.

    with_classes: count devices of drivers (DRA) also where no workload claims any. rollouts: tell also whether a later change of the
    pods would find room.
    """
    looking = Looking(source)
    namespaces = sorted({_namespace(workload) for workload in workloads})
    ranges = _limit_ranges(looking, namespaces) if "limits" in checks else {}
    queues = read_queues(looking, workloads) if "quota" in checks else {}
    numbered = [
        (number, _started(demand, workload, queues))
        for number, workload in enumerate(workloads)
        for demand in demands_of(_defaulted(workload, ranges.get(_namespace(workload), ())))
    ]
    templates: dict[str, dict[str, Json]] = {}
    demands = _completed(looking, [demand for dummy, demand in numbered], namespaces, templates)
    inventory = take_inventory(looking, demands, with_classes=with_classes)
    replaced = frozenset(
        place for place, (number, dummy) in enumerate(numbered) if number in changed
    )
    answers = fit(demands, inventory, replaced)
    lacking = [answer for answer in answers if answer.verdict is Verdict.LACKS]
    if lacking and grows(source):
        for answer in lacking:
            answer.verdict = Verdict.UNCERTAIN
            answer.doubts.append(_MORE_NODES)
    judged = Judged(inventory, answers, notes=looking.notes)
    for (number, dummy), answer in zip(numbered, answers, strict=True):
        found = list(_of_the_answer(answer, inventory)) if "fit" in checks else []
        if inventory.slices is not None and "fit" in checks:
            known = templates.get(answer.demand.workload.namespace, {})
            found += selector_problems(answer.demand, known, inventory.slices)
        # What is replaced now was judged with the pods that start beside it.
        later = rollouts and number not in changed and "fit" in checks
        hangs = list(_rollout(answer, inventory)) if later else []
        found += hangs if hangs and not grows(source) else ()
        found += range_problems(answer.demand, ranges.get(answer.demand.workload.namespace, ()))
        judged.problems.setdefault(number, []).extend(found)
        judged.by_workload.setdefault(number, []).append(answer)
    if "quota" in checks:
        _judge_quotas(looking, workloads, judged, queues)
    return judged


def _started(demand: Demand, workload: Json, queues: AllQueues) -> Demand:
    """Return pods as they are started: what Kueue admits, it changes."""
    queue, known = queue_of(workload), queues.get(_namespace(workload))
    return admitted(demand, queue, known) if queue and known is not None else demand


def _limit_ranges(looking: Looking, namespaces: Sequence[str]) -> dict[str, list[Json]]:
    unseen = "what it puts into pods and refuses is not known"
    return {
        namespace: list(looking.each("v1", "LimitRange", namespace, unseen=unseen))
        for namespace in namespaces
    }


def _completed(
    looking: Looking,
    demands: Sequence[Demand],
    namespaces: Sequence[str],
    templates: dict[str, dict[str, Json]],
) -> list[Demand]:
    """Return demands with what other objects say of them: classes of container runtimes, device claims, and autoscalers.

    templates: is filled with the ResourceClaimTemplates of the namespaces where pods claim devices, by name.
    """
    ceilings = _ceilings(looking, namespaces)
    classes = _runtime_classes(looking, demands)
    found = []
    for each in demands:
        demand = with_runtime_class(each, classes)
        namespace = demand.workload.namespace
        if demand.claims and namespace not in templates:
            templates[namespace] = _claim_templates(looking, namespace)
        claiming = with_claims(demand, templates[namespace]) if demand.claims else demand
        found.append(_growing(claiming, ceilings))
    return found


def _runtime_classes(looking: Looking, demands: Sequence[Demand]) -> dict[str, Json]:
    """Return the RuntimeClasses by name, where pods name one."""
    if not any(demand.spec.get("runtimeClassName") for demand in demands):
        return {}
    unseen = "what they add to pods is not known"
    listed = looking.each(RUNTIME_CLASS_API, RUNTIME_CLASS, unseen=unseen)
    return {each["metadata"]["name"]: each for each in listed}


def _claim_templates(looking: Looking, namespace: str) -> dict[str, Json]:
    unseen = "what pods claim is not known"
    listed = looking.each(DEVICE_API, "ResourceClaimTemplate", namespace, unseen=unseen)
    return {each["metadata"]["name"]: each for each in listed}


def _judge_quotas(
    looking: Looking, workloads: Sequence[Json], judged: Judged, queues: AllQueues
) -> None:
    """Add what ResourceQuotas and Kueue's queues forbid to the problems of the workloads concerned."""
    by_workload = judged.by_workload
    for namespace in sorted({_namespace(workloads[number]) for number in by_workload}):
        unseen = "whether it lets the pods in is not known"
        quotas = list(looking.each("v1", "ResourceQuota", namespace, unseen=unseen))
        concerned = [number for number in by_workload if _namespace(workloads[number]) == namespace]
        answers = [answer for number in concerned for answer in by_workload[number]]
        problems = list(quota_problems(answers, quotas))
        for number in concerned:
            judged.problems[number].extend(problems)
    labels = [node.labels for node in judged.inventory.nodes.values()]
    for number, answers in by_workload.items():
        judged.problems[number] += misplaced_queue(workloads[number])
        queue, known = queue_of(workloads[number]), queues.get(_namespace(workloads[number]))
        if queue and known is not None:
            seen = replace(known, node_labels=labels)
            judged.problems[number] += queue_problems(answers, queue, seen)
            judged.problems[number] += topology_problems(workloads[number], queue, seen)
            judged.problems[number] += priority_problems(workloads[number], seen)


def _ceilings(looking: Looking, namespaces: Sequence[str]) -> dict[tuple[str, str, str], int]:
    """Return to how many pods autoscalers may grow workloads, by kind, namespace and name."""
    unseen = "whether an autoscaler may start more pods is not known"
    found = {}
    for namespace in namespaces:
        for autoscaler in looking.each(*_AUTOSCALER, namespace, unseen=unseen):
            target = value_at(autoscaler, ("spec", "scaleTargetRef")) or {}
            key = (str(target.get("kind")), namespace, str(target.get("name")))
            found[key] = int(autoscaler["spec"].get("maxReplicas") or 0)
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


def _rollout(answer: Answer, inventory: Inventory) -> Iterator[Problem]:
    """Yield that a later rolling update would wait for ever: it starts pods before it stops any, and they find no room."""
    demand, wanted = answer.demand, answer.wanted
    there = inventory.surroundings[answer.number].there
    beside = min(demand.surge, max(there, demand.pods if wanted else there))
    if not (beside and demand.device and demand.waits) or inventory.blind:
        return
    if answer.verdict in (Verdict.LACKS, Verdict.UNCERTAIN) and wanted:
        # Told already.
        return
    if room_for(demand, answer.number, inventory, wanted + beside).most <= wanted:
        text = (
            f"a change of the template starts {beside} more {'pod' if beside == 1 else 'pods'} before it stops one, and no node has "
            f"{demand.device} for that: the rollout would wait forever; free a device, or set maxSurge: 0 and maxUnavailable: 1"
        )
        yield Problem("", text, "warning", rule="fit-rollout")


def _of_the_answer(answer: Answer, inventory: Inventory) -> Iterator[Problem]:
    yield from shared_device_problems(answer, inventory)
    text = explain(answer, inventory)
    if answer.verdict is Verdict.LACKS:
        yield Problem("", text, rule="fit")
    elif answer.verdict is Verdict.UNCERTAIN:
        rule = "fit-autoscaled" if _MORE_NODES in answer.doubts else "fit-uncertain"
        yield Problem("", text, "warning", rule=rule)
    if answer.demand.ceiling > answer.demand.pods:
        more = (
            f"an autoscaler may grow it from {answer.demand.pods} to {answer.demand.ceiling} pods"
        )
        yield Problem("", more, "warning", rule="fit-autoscaled")
