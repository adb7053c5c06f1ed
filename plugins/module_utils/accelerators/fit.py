# SPDX-License-Identifier: GPL-3.0-or-later
"""Will these pods be placed, now? The scheduler's own filters on what is free, without its choice among the nodes.

For identical pods the answer does not depend on that choice, and is the scheduler's. Pods of several shapes take room from each
other in an order that nobody knows beforehand: they fit only where every order leads there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from ..kube.manifest import Json, value_at
from .demand import Demand, is_exclusive
from .eligible import unselected, untolerated
from .inventory import Inventory, Node, host_ports, ports_clash
from .neighbours import anti_affinity
from .requests import PODS, Amounts

_DEFAULT_SCHEDULER = "default-scheduler"
_AFFINITY = ("affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


class Verdict(Enum):
    """What is known. UNCERTAIN: it depends on the order, or on something that is not judged."""

    FITS = "fits"
    LACKS = "does not fit"
    UNCERTAIN = "uncertain"


@dataclass(slots=True)
class Answer:
    """What was found about one demand.

    wanted: pods that still have to be placed. slots: how many of them each node could take, were they alone.
    placed: where they find room beside the other demands, the largest first. passed_over: nodes that may not take them, and why.
    unjudged: what the pods ask for that is not judged here.
    """

    demand: Demand
    wanted: int
    slots: Mapping[str, int]
    room: int
    passed_over: Mapping[str, str]
    unjudged: Sequence[str]
    placed: dict[str, int] = field(default_factory=dict)
    verdict: Verdict = Verdict.FITS


def fit(
    demands: Sequence[Demand], inventory: Inventory, changed: frozenset[int] = frozenset()
) -> list[Answer]:
    """Judge demands together. inventory: built for these demands. changed: numbers of those whose running pods are replaced."""
    answers = [
        _alone(demand, number, inventory, number in changed)
        for number, demand in enumerate(demands)
    ]
    asking = [answer for answer in answers if answer.wanted]
    _place(asking, inventory)
    together = _lack_together(asking, inventory)
    for answer in asking:
        answer.verdict = _verdict(answer, asking, inventory, together)
    return answers


def _verdict(
    answer: Answer, answers: Sequence[Answer], inventory: Inventory, together: bool
) -> Verdict:
    """together: all demands ask for more than there is."""
    if answer.demand.device in inventory.by_claims:
        return Verdict.UNCERTAIN
    if answer.room < answer.wanted:
        return Verdict.LACKS
    if not _always(answer, answers, inventory):
        lacks = together and sum(answer.placed.values()) < answer.wanted
        return Verdict.LACKS if lacks else Verdict.UNCERTAIN
    unsure = answer.unjudged or _apart_from_each_other(answer, answers)
    return Verdict.UNCERTAIN if unsure else Verdict.FITS


def _alone(demand: Demand, number: int, inventory: Inventory, changed: bool) -> Answer:
    there = inventory.there[number]
    missing = max(0, demand.pods - there)
    wanted = missing + (min(demand.surge, there) if changed else 0)
    passed_over = {}
    slots = {}
    blocked = _domains(inventory.blocked[number], inventory)
    ports = host_ports(demand.spec)
    for node in inventory.nodes.values():
        reason = refusal(demand, node) or _neighbour(node, blocked)
        if not reason and ports and ports_clash(ports, node.ports):
            reason = "a port of the node that they want is taken"
        if reason:
            passed_over[node.name] = reason
        else:
            count = node_slots(node, demand.requests)
            slots[node.name] = min(count, 1) if ports else count
    apart = _keys_apart(demand)
    slots = _one_each(slots, apart[0], inventory) if apart else slots
    unjudged = [*inventory.unseen, *_unjudged(demand.spec)]
    if len(apart) > 1:
        unjudged.append("anti-affinity over several topology keys")
    if is_exclusive(demand):
        unjudged.append("exclusive topology of groups")
    if demand.device in inventory.by_claims:
        unjudged.append(f"{demand.device} by device claims (DRA)")
    return Answer(demand, wanted, slots, sum(slots.values()), passed_over, unjudged)


def refusal(demand: Demand, node: Node) -> str:
    """Return why a node may not take the pods whatever is free, empty where it may."""
    taint = untolerated(node.taints, demand.spec.get("tolerations") or ())
    if taint is not None:
        return _taint_text(taint)
    return unselected(demand.spec, node.name, node.labels)


def _taint_text(taint: Json) -> str:
    match taint["key"]:
        case "node.kubernetes.io/unschedulable":
            return "cordoned"
        case "node.kubernetes.io/not-ready":
            return "not ready"
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"taint {taint['key']}{value}:{taint['effect']} is not tolerated"


def node_slots(node: Node, requests: Amounts) -> int:
    """Return how many pods with these requests a node can still take."""
    slots = node.free(PODS)
    for name, amount in requests.items():
        if amount:
            slots = min(slots, node.free(name) // amount)
    return slots


def _domains(blocked: set[tuple[str, str]], inventory: Inventory) -> set[tuple[str, str]]:
    """Return the topology domains (label, value) of the nodes whose pods must not have these beside them."""
    found = set()
    for key, name in blocked:
        node = inventory.nodes.get(name)
        if node and key in node.labels:
            found.add((key, node.labels[key]))
    return found


def _neighbour(node: Node, blocked: set[tuple[str, str]]) -> str:
    keys = [key for key, value in blocked if node.labels.get(key) == value]
    return f"anti-affinity to a pod in the same {keys[0]}" if keys else ""


def _keys_apart(demand: Demand) -> list[str]:
    """Return the topology keys of the domains in which only one of the pods may run."""
    namespace = demand.workload.namespace
    terms = anti_affinity(demand.spec, namespace)
    return sorted({term.topology_key for term in terms if term.covers(namespace, demand.labels)})


def _one_each(slots: Mapping[str, int], key: str, inventory: Inventory) -> dict[str, int]:
    """Return slots with one pod in each domain; nodes without the label are in none."""
    kept = {}
    taken = set()
    for name, count in slots.items():
        domain = inventory.nodes[name].labels.get(key)
        if domain is None:
            kept[name] = count
        elif count and domain not in taken:
            taken.add(domain)
            kept[name] = 1
        else:
            kept[name] = 0
    return kept


def _unjudged(spec: Json) -> Iterator[str]:
    if value_at(spec, _AFFINITY):
        yield "required affinity to other pods"
    if any(
        each.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule"
        for each in spec.get("topologySpreadConstraints") or ()
    ):
        yield "topology spread constraints"
    if any("persistentVolumeClaim" in volume for volume in spec.get("volumes") or ()):
        yield "where persistent volumes can be attached"
    if spec.get("resourceClaims"):
        yield "device claims (DRA)"
    if spec.get("schedulingGates"):
        yield "scheduling gates"
    if spec.get("schedulerName", _DEFAULT_SCHEDULER) != _DEFAULT_SCHEDULER:
        yield f"the scheduler {spec['schedulerName']}"


def _place(answers: Sequence[Answer], inventory: Inventory) -> None:
    """Place the pods of all demands, the largest first; what is placed is an example, not the scheduler's choice."""
    left = {node.name: dict(node.used) for node in inventory.nodes.values()}
    for answer in sorted(answers, key=_size, reverse=True):
        missing = answer.wanted
        for name, most in answer.slots.items():
            if not missing:
                break
            node = inventory.nodes[name]
            count = min(most, missing, _slots_beside(node, left[name], answer.demand.requests))
            if count:
                answer.placed[name] = count
                missing -= count
                _take(left[name], answer.demand.requests, count)


def _size(answer: Answer) -> tuple[int, int, int]:
    requests = answer.demand.requests
    return (
        requests.get(answer.demand.device, 0),
        requests.get("memory", 0),
        requests.get("cpu", 0),
    )


def _slots_beside(node: Node, used: Amounts, requests: Amounts) -> int:
    slots = node.allocatable.get(PODS, 0) - used.get(PODS, 0)
    for name, amount in requests.items():
        if amount:
            slots = min(slots, (node.allocatable.get(name, 0) - used.get(name, 0)) // amount)
    return max(0, slots)


def _take(used: Amounts, requests: Amounts, count: int) -> None:
    used[PODS] = used.get(PODS, 0) + count
    for name, amount in requests.items():
        used[name] = used.get(name, 0) + count * amount


def _always(answer: Answer, answers: Sequence[Answer], inventory: Inventory) -> bool:
    """Return whether room is left for all pods of a demand wherever the pods of the others go first.

    A pod of another demand takes from at most one node as many slots as cover what it asks for. Resources of which each
    node has enough for everything that is asked for do not count.
    """
    others = [other for other in answers if other is not answer]
    binding = [
        name
        for name, amount in answer.demand.requests.items()
        if amount and _is_binding(name, answer, answers, inventory)
    ]
    lost = sum(_pods_beside(other, answer) * _loss(other, answer, binding) for other in others)
    return answer.room - lost >= answer.wanted


def _is_binding(name: str, answer: Answer, answers: Sequence[Answer], inventory: Inventory) -> bool:
    total = sum(each.wanted * each.demand.requests.get(name, 0) for each in answers)
    return any(
        inventory.nodes[node].free(name) < total for node, count in answer.slots.items() if count
    )


def _pods_beside(other: Answer, answer: Answer) -> int:
    """Return how many pods of another demand can be on nodes that this one needs."""
    shared = sum(count for node, count in other.slots.items() if answer.slots.get(node))
    return min(other.wanted, shared)


def _loss(other: Answer, answer: Answer, binding: Sequence[str]) -> int:
    """Return how many slots a pod of another demand takes at most."""
    asked, own = other.demand.requests, answer.demand.requests
    # A pod takes one of the node's places for pods, whatever it asks for.
    return max([1, *(-(-asked.get(name, 0) // own[name]) for name in binding)])


def _apart_from_each_other(answer: Answer, answers: Sequence[Answer]) -> bool:
    """Return whether pods of two demands must not run beside each other, which is not judged."""
    others = [other for other in answers if other is not answer]
    return any(_avoids(answer, other) or _avoids(other, answer) for other in others)


def _avoids(one: Answer, other: Answer) -> bool:
    terms = anti_affinity(one.demand.spec, one.demand.workload.namespace)
    return any(term.covers(other.demand.workload.namespace, other.demand.labels) for term in terms)


def _lack_together(answers: Sequence[Answer], inventory: Inventory) -> bool:
    """Return whether the demands ask for more of some resource than all nodes together have free."""
    names = {name for answer in answers for name in answer.demand.requests}
    nodes = {node for answer in answers for node, count in answer.slots.items() if count}
    return any(
        sum(answer.wanted * answer.demand.requests.get(name, 0) for answer in answers)
        > sum(inventory.nodes[node].free(name) for node in nodes)
        for name in names
    )
