# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer of `fit` in words: what is needed, what is free, the largest block, where, and what was passed over and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..kube.text import counted, few
from .fit import Answer, Verdict
from .inventory import Inventory, Node
from .placement import node_slots
from .requests import CLASS_PREFIX, PODS, shown
from .vendors import MIG_STRATEGY, device_label, is_device, is_mig

#: How many nodes a message names for one reason.
_NAMED = 3


def explain(answer: Answer, inventory: Inventory) -> str:
    """Return the whole answer as text of several sentences."""
    return " ".join([f"{_verdict(answer)}.", *_found(answer, inventory)])


def _verdict(answer: Answer) -> str:
    demand = answer.demand
    if not answer.wanted:
        return "every pod is there already"
    each = f" of {_asked(answer)}" if demand.requests else ""
    pods = f"{counted(answer.wanted, 'pod')}{each}"
    match answer.verdict:
        case Verdict.FITS:
            return f"there is room for {pods}"
        case Verdict.UNCERTAIN:
            return f"whether there is room for {pods} is not certain ({', '.join(answer.doubts)})"
        case Verdict.LACKS:
            found = min(answer.room.most, answer.wanted)
            beside = ""
            if found == answer.wanted:
                found = sum(answer.placed.values())
                beside = " beside the other workloads of this task"
            much = f"room for only {found} of" if found else "no room for"
            return f"there is {much} {pods}{beside}"


def _asked(answer: Answer) -> str:
    demand = answer.demand
    names = [demand.device] if demand.device else sorted(demand.requests)
    return ", ".join(f"{shown(name, demand.requests[name])} {name}" for name in names)


def _found(answer: Answer, inventory: Inventory) -> Iterator[str]:
    name = answer.demand.device or "cpu"
    nodes = [inventory.nodes[each] for each in answer.room.slots]
    offering = [node for node in nodes if node.allocatable.get(name)]
    if offering:
        yield _free(name, offering)
    if answer.verdict is not Verdict.FITS and answer.wanted:
        yield from _shortages(answer, name, offering)
        if answer.room.apart:
            yield f"The pods keep apart: {answer.room.apart}."
        every = list(inventory.nodes.values())
        if answer.demand.device:
            yield from _unhealthy(name, every)
        if not inventory.lists(name):
            yield from _nowhere(name, every)
    yield from _passed_over(answer, name, inventory)
    waiting = inventory.waiting.get(name)
    if waiting:
        yield f"{counted(waiting.pods, 'pod')} without a node request{'s' if waiting.pods == 1 else ''} {waiting.devices} {name}."


def _free(name: str, nodes: Sequence[Node]) -> str:
    total = sum(node.free(name) for node in nodes)
    largest = max(nodes, key=lambda node: node.free(name))
    block = f"the largest block is {shown(name, largest.free(name))}, on {largest.name}"
    return f"Free: {shown(name, total)} {name} on {counted(len(nodes), 'node')}, {block}."


def _shortages(answer: Answer, name: str, nodes: Sequence[Node]) -> Iterator[str]:
    """Yield what else a node lacks that has devices enough."""
    requests = answer.demand.requests
    lacking: dict[str, list[str]] = {}
    for node in nodes:
        if node_slots(node, requests) or node.free(name) < requests.get(name, 0):
            continue
        for other, amount in {PODS: 1, **requests}.items():
            if other != name and node.free(other) < amount:
                there = f"{node.name} has {shown(other, node.free(other))} left"
                lacking.setdefault(f"{shown(other, amount)} {other}", []).append(there)
    for what, where in lacking.items():
        yield f"Short of {what}: {few(where, _NAMED)}."


def _unhealthy(name: str, nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        there, usable = node.capacity.get(name, 0), node.allocatable.get(name, 0)
        if there > usable:
            yield f"{node.name} has {there} {name} in status.capacity and {usable} in status.allocatable: the others are unhealthy."


def _nowhere(name: str, nodes: Sequence[Node]) -> Iterator[str]:
    if name.startswith(CLASS_PREFIX):
        yield f"No driver publishes devices of this class for a node, or there is no DeviceClass {name.removeprefix(CLASS_PREFIX)}."
        return
    yield f"No node lists {name} in status.allocatable." if nodes else "No node is known at all."
    domain = name.partition("/")[0]
    offers: dict[str, list[str]] = {}
    labelled = []
    single = []
    for node in nodes:
        others = [
            other for other, amount in node.allocatable.items() if amount and is_device(other)
        ]
        for other in others:
            offers.setdefault(other, []).append(f"{node.name} {node.allocatable[other]}")
        akin = any(other.partition("/")[0] == domain for other in others)
        label = device_label(name, node.labels)
        if label and not akin:
            labelled.append(f"{node.name} ({label})")
        if is_mig(name) and node.labels.get(MIG_STRATEGY) == "single":
            single.append(node.name)
    of_vendor = {other: where for other, where in offers.items() if other.startswith(f"{domain}/")}
    for other, where in (of_vendor or offers).items():
        yield f"Nodes offer {other}: {few(where, _NAMED)}."
    if single:
        yield f"With {MIG_STRATEGY}=single ({few(single, _NAMED)}) a part of a device is called nvidia.com/gpu."
    if labelled:
        yield (
            f"By their labels these nodes have such devices: {few(labelled, _NAMED)}; is the device plugin or the driver running there?"
        )


def _passed_over(answer: Answer, name: str, inventory: Inventory) -> Iterator[str]:
    """Yield the nodes that have the device and may not be used, by reason."""
    reasons: dict[str, list[Node]] = {}
    for each, reason in answer.room.passed_over.items():
        node = inventory.nodes[each]
        if node.allocatable.get(name):
            reasons.setdefault(reason, []).append(node)
    for reason, nodes in reasons.items():
        free = shown(name, sum(node.free(name) for node in nodes))
        yield f"Passed over with {free} {name} free: {few([node.name for node in nodes], _NAMED)} ({reason})."


def report(answer: Answer, inventory: Inventory) -> Mapping[str, object]:
    """Return the answer as data for a task's result."""
    demand = answer.demand
    name = demand.device or "cpu"
    usable = [inventory.nodes[each] for each in answer.room.slots]
    return {
        "kind": demand.workload.kind,
        "namespace": demand.workload.namespace,
        "name": demand.workload.name,
        "part": demand.part,
        "verdict": answer.verdict.value,
        "pods": demand.pods,
        "to_place": answer.wanted,
        "resource": name,
        "per_pod": shown(name, demand.requests.get(name, 0)),
        "needed": shown(name, answer.wanted * demand.requests.get(name, 0)),
        "free": shown(name, sum(node.free(name) for node in usable)),
        "largest_block": shown(name, max((node.free(name) for node in usable), default=0)),
        "placed_on": dict(answer.placed),
        "passed_over": dict(answer.room.passed_over),
        "not_judged": list(answer.doubts),
        "message": explain(answer, inventory),
    }
