# SPDX-License-Identifier: GPL-3.0-or-later
"""For how many pods of one demand a cluster has room, were there no other demand.

What keeps pods from nodes is in `refusals`. Here is what pods of one demand do to each other: they use up what is free, avoid each
other, want to be together, or spread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .demand import Demand
from .inventory import Inventory, Node
from .node_filters import NodeFilters
from .requests import PODS, Amounts
from .topology_spread import Spread, shares

_DEFAULT_SCHEDULER = "default-scheduler"
Slots = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Room:
    """What was found about one demand.

    slots: how many pods each node could take by what is free on it. least, most: pods that find room on all of them, whatever node is
    taken first. example: one way to place those that are wanted. passed_over: nodes that take none, and why.
    unjudged: what the pods ask for that is not judged here; then `most` is a bound. apart: what keeps the pods from each other's nodes.
    """

    slots: Slots
    least: int
    most: int
    example: Slots
    passed_over: Mapping[str, str]
    unjudged: Sequence[str]
    apart: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether a pod on one node can take room from pods on others."""
        return self.least < sum(self.slots.values())


def room_for(demand: Demand, number: int, inventory: Inventory, wanted: int) -> Room:
    """Return the room for `wanted` pods. number: the demand's place in the inventory."""
    refusals = NodeFilters(demand, inventory.surroundings[number], inventory)
    passed_over = {}
    slots = {}
    for node in inventory.nodes.values():
        reason = refusals.reason(node)
        if reason:
            passed_over[node.name] = reason
        else:
            count = node_slots(node, demand.requests)
            alone = refusals.ports or any(key in node.labels for key in refusals.apart)
            slots[node.name] = min(count, 1) if alone else count
    ways = [
        _Way(start, refusals, inventory, wanted) for start in _starts(slots, refusals, inventory)
    ]
    widest = max(ways, key=lambda way: way.total)
    unjudged = [*inventory.unseen, *refusals.around.vague, *_unjudged(demand), *widest.doubts]
    most = widest.total
    if demand.domain and not refusals.around.there:
        most = min(most, _whole_groups(slots, demand, inventory))
    return Room(
        slots,
        min([most, *(way.total for way in ways)]),
        most,
        widest.example,
        passed_over,
        list(dict.fromkeys(unjudged)),
        _apart(refusals),
    )


def _apart(refusals: NodeFilters) -> str:
    """Return what keeps pods of one demand from each other's nodes, empty where nothing does."""
    keys = [each.spread.key for each in refusals.spreads if each.spread.counts_itself]
    found = [
        "each wants the same port of its node" if refusals.ports else "",
        *(f"by their anti-affinity one runs in each {key}" for key in refusals.apart),
        *(f"they spread over {key}" for key in keys),
    ]
    return "; ".join(each for each in found if each)


def node_slots(node: Node, requests: Amounts) -> int:
    """Return how many pods with these requests a node can still take."""
    slots = node.free(PODS)
    for name, amount in requests.items():
        if amount:
            slots = min(slots, node.free(name) // amount)
    return slots


def _whole_groups(slots: Slots, demand: Demand, inventory: Inventory) -> int:
    """Return how many pods find room in groups of which each has a domain for itself."""
    room: dict[str, int] = {}
    for name, count in slots.items():
        domain = inventory.nodes[name].labels.get(demand.domain)
        if domain is not None:
            room[domain] = room.get(domain, 0) + count
    return demand.group * sum(count >= demand.group for count in room.values())


def _starts(slots: Slots, refusals: NodeFilters, inventory: Inventory) -> list[Slots]:
    """Return slots for each choice that the first pod has: pods that want each other beside them all follow the first."""
    if not refusals.first_decides:
        return [slots]
    keys = [term.topology_key for term in refusals.around.affinity]
    groups: dict[tuple[str, ...], dict[str, int]] = {}
    for name, count in slots.items():
        labels = inventory.nodes[name].labels
        groups.setdefault(tuple(labels[key] for key in keys), {})[name] = count
    return [group for group in groups.values() if any(group.values())] or [{}]


class _Way:
    """Pods of one demand on some nodes.

    total: how many find room. example: where those that are wanted may go. doubts: why the total is a bound only.
    """

    def __init__(
        self, slots: Slots, refusals: NodeFilters, inventory: Inventory, wanted: int
    ) -> None:
        self.doubts: list[str] = []
        self.total, self.example = sum(slots.values()), slots
        apart = refusals.apart
        if apart:
            slots = _one_each(slots, apart[0], inventory)
            self.total, self.example = sum(slots.values()), slots
        if len(apart) > 1:
            self.doubts.append("anti-affinity over several topology keys")
        own = [each for each in refusals.spreads if each.spread.counts_itself]
        for each in own:
            domains = {name: inventory.nodes[name].labels[each.spread.key] for name in slots}
            total = sum(_spread(each.spread, each.there, slots, domains, self.total).values())
            if total < self.total or each is own[0]:
                self.example = _spread(each.spread, each.there, slots, domains, wanted)
            self.total = min(self.total, total)
            if apart and not _finer(apart[0], domains, inventory):
                self.doubts.append("anti-affinity together with topology spread constraints")
        if len(own) > 1:
            self.doubts.append("several topology spread constraints")


def _one_each(slots: Slots, key: str, inventory: Inventory) -> dict[str, int]:
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


def _finer(key: str, domains: Mapping[str, str], inventory: Inventory) -> bool:
    """Return whether nodes with the same value of a label are in one of the domains."""
    seen: dict[str, str] = {}
    for name, domain in domains.items():
        value = inventory.nodes[name].labels.get(key)
        if value is not None and seen.setdefault(value, domain) != domain:
            return False
    return True


def _spread(
    spread: Spread, there: Mapping[str, int], slots: Slots, domains: Mapping[str, str], wanted: int
) -> dict[str, int]:
    """Return how many of the wanted pods each node gets, of those that its domain may take."""
    room: dict[str, int] = {}
    for name, count in slots.items():
        room[domains[name]] = room.get(domains[name], 0) + count
    left = shares(spread, there, room, wanted)
    given = {}
    for name, count in slots.items():
        given[name] = min(count, left[domains[name]])
        left[domains[name]] -= given[name]
    return given


def _unjudged(demand: Demand) -> Iterator[str]:
    spec = demand.spec
    volumes = spec.get("volumes") or ()
    if any("persistentVolumeClaim" in volume or "ephemeral" in volume for volume in volumes):
        yield "where persistent volumes can be attached"
    yield from demand.doubts
    if spec.get("schedulingGates"):
        yield "scheduling gates"
    if spec.get("schedulerName", _DEFAULT_SCHEDULER) != _DEFAULT_SCHEDULER:
        yield f"the scheduler {spec['schedulerName']}"
