# SPDX-License-Identifier: GPL-3.0-or-later
"""Will these pods be placed, now? The scheduler's own filters on what is free, without its choice among the nodes.

For identical pods the answer does not depend on that choice, and is the scheduler's. Pods of several shapes take room from each
other in an order that nobody knows beforehand: they fit only where every order leads there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from .demand import Demand
from .inventory import Inventory, Node, host_ports, ports_clash
from .placement import Room, node_slots, room_for
from .requests import PODS, Amounts


class Verdict(Enum):
    """What is known. UNCERTAIN: it depends on the order, or on something that is not judged."""

    FITS = "fits"
    LACKS = "does not fit"
    UNCERTAIN = "uncertain"


@dataclass(slots=True)
class Answer:
    """What was found about one demand.

    number: of the demand in the inventory. wanted: pods that still have to be placed. room: for them, were they alone.
    placed: where they find room beside the other demands, the largest first. doubts: why the verdict is not certain.
    """

    demand: Demand
    number: int
    wanted: int
    room: Room
    placed: dict[str, int] = field(default_factory=dict)
    verdict: Verdict = Verdict.FITS
    doubts: list[str] = field(default_factory=list)


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


def _alone(demand: Demand, number: int, inventory: Inventory, changed: bool) -> Answer:
    there = inventory.surroundings[number].there
    wanted = max(0, demand.pods - there) + (min(demand.surge, there) if changed else 0)
    return Answer(demand, number, wanted, room_for(demand, number, inventory, wanted))


def _verdict(
    answer: Answer, answers: Sequence[Answer], inventory: Inventory, together: bool
) -> Verdict:
    """together: all demands ask for more than there is."""
    room = answer.room
    answer.doubts += room.unjudged
    others = [other for other in answers if other is not answer]
    uncounted = [name for name in answer.demand.requests if name in inventory.not_counted]
    if uncounted:
        answer.doubts += [inventory.not_counted[name] for name in uncounted]
        return Verdict.UNCERTAIN
    if inventory.blind:
        return Verdict.UNCERTAIN
    if any(_share_devices(answer, other, inventory) for other in others):
        answer.doubts.append("devices of several classes, which may be the same")
        return Verdict.UNCERTAIN
    if any(_speak_of_each_other(answer, other, inventory) for other in others):
        answer.doubts.append("affinity or spread between the workloads of this task")
        # Pods of others may open nodes to these, but give them no more room there.
        anywhere = sum(
            node_slots(node, answer.demand.requests) for node in inventory.nodes.values()
        )
        return Verdict.LACKS if anywhere < answer.wanted else Verdict.UNCERTAIN
    if inventory.unseen and inventory.surroundings[answer.number].affinity:
        return Verdict.UNCERTAIN
    if room.most < answer.wanted:
        return Verdict.LACKS
    if room.least < answer.wanted:
        answer.doubts.append("the first of the pods decides where the others go")
    elif not _always(answer, others, inventory):
        if together and sum(answer.placed.values()) < answer.wanted:
            return Verdict.LACKS
        answer.doubts.append("it depends on which pods are placed first")
    return Verdict.UNCERTAIN if answer.doubts else Verdict.FITS


def _place(answers: Sequence[Answer], inventory: Inventory) -> None:
    """Place the pods of all demands, the largest first; what is placed is an example, not the scheduler's choice."""
    left = {node.name: dict(node.used) for node in inventory.nodes.values()}
    for answer in sorted(answers, key=_size, reverse=True):
        missing = answer.wanted
        for name, most in answer.room.example.items():
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


def _always(answer: Answer, others: Sequence[Answer], inventory: Inventory) -> bool:
    """Return whether room is left for all pods of a demand wherever the pods of the others go first.

    A pod of another demand takes from at most one node as many slots as cover what it asks for. Resources of which each
    node has enough for everything that is asked for do not count.
    """
    answers = [answer, *others]
    binding = [
        name
        for name, amount in {PODS: 1, **answer.demand.requests}.items()
        if amount and _is_binding(name, answer, answers, inventory)
    ]
    lost = sum(_pods_beside(other, answer) * _loss(other, answer, binding) for other in others)
    # Where a slot on one node is worth nothing without another elsewhere, what is lost cannot be counted.
    return not lost if answer.room.is_shared else answer.room.least - lost >= answer.wanted


def _asked(answer: Answer, name: str) -> int:
    """Return how much of a resource one pod takes; each takes one of a node's places for pods."""
    return 1 if name == PODS else answer.demand.requests.get(name, 0)


def _is_binding(name: str, answer: Answer, answers: Sequence[Answer], inventory: Inventory) -> bool:
    total = sum(each.wanted * _asked(each, name) for each in answers)
    slots = answer.room.slots
    return any(inventory.nodes[node].free(name) < total for node, count in slots.items() if count)


def _pods_beside(other: Answer, answer: Answer) -> int:
    """Return how many pods of another demand can be on nodes that this one needs."""
    own = answer.room.slots
    shared = sum(count for node, count in other.room.slots.items() if own.get(node))
    return min(other.wanted, shared)


def _loss(other: Answer, answer: Answer, binding: Sequence[str]) -> int:
    """Return how many slots a pod of another demand takes at most."""
    port = ports_clash(host_ports(other.demand.spec), host_ports(answer.demand.spec))
    return max([int(port), *(-(-_asked(other, name) // _asked(answer, name)) for name in binding)])


def _share_devices(one: Answer, other: Answer, inventory: Inventory) -> bool:
    """Return whether two demands ask under different names for devices of drivers, which may be the same."""
    own, theirs = ({*each.demand.requests} & inventory.published for each in (one, other))
    return bool(own and theirs and own != theirs)


def _speak_of_each_other(one: Answer, other: Answer, inventory: Inventory) -> bool:
    """Return whether the pods of one demand have a say in where those of another go, which is not judged."""
    return _speaks_of(one, other, inventory) or _speaks_of(other, one, inventory)


def _speaks_of(speaker: Answer, of: Answer, inventory: Inventory) -> bool:
    around, demand = inventory.surroundings[speaker.number], of.demand
    namespace, labels = demand.workload.namespace, demand.labels
    if any(term.covers(namespace, labels) for term in [*around.affinity, *around.anti_affinity]):
        return True
    return namespace == speaker.demand.workload.namespace and any(
        spread.counts(labels) for spread in around.spreads
    )


def _lack_together(answers: Sequence[Answer], inventory: Inventory) -> bool:
    """Return whether the demands ask for more of some resource than all nodes together have free."""
    names = {name for answer in answers for name in answer.demand.requests}
    nodes = {node for answer in answers for node, count in answer.room.slots.items() if count}
    return any(
        sum(answer.wanted * answer.demand.requests.get(name, 0) for answer in answers)
        > sum(inventory.nodes[node].free(name) for node in nodes)
        for name in names
    )
