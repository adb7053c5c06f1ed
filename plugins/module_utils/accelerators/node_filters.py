# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a node takes none of a demand's pods whatever is free on it: the scheduler's filters, but for resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..kube.manifest import Json
from .demand import Demand
from .inventory import Inventory, Node, host_ports, ports_clash
from .node_eligibility import unselected, untolerated
from .pod_affinity import Term
from .scheduled_pods import ScheduledPods
from .topology_spread import Spread, static_refusal

Domain = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Spreading:
    """A spread constraint in a cluster. there: the pods that it counts, by domain."""

    spread: Spread
    there: Mapping[str, int]


class NodeFilters:
    """The filters for one demand.

    ports: of the node, that each of the pods wants. apart: topology keys of the domains in which only one of the pods may run.
    first_decides: the pods want each other in the same domains and none is there, so the first may choose them.
    """

    def __init__(self, demand: Demand, around: ScheduledPods, inventory: Inventory) -> None:
        self.around = around
        self.ports = host_ports(demand.spec)
        self._demand = demand
        self._blocked = {
            (key, node.labels[key])
            for key, name in around.blocked
            if (node := inventory.nodes.get(name)) and key in node.labels
        }
        self._beside = self._domains_beside(inventory)
        self.apart = sorted({term.topology_key for term in around.anti_affinity if self._own(term)})
        self.first_decides = bool(around.affinity) and not self._beside
        self.first_decides &= all(self._own(term) for term in around.affinity)
        self.spreads = [
            Spreading(spread, self._there(spread, around.counted[number], inventory))
            for number, spread in enumerate(around.spreads)
        ]

    def _domains_beside(self, inventory: Inventory) -> set[Domain]:
        nodes = [inventory.nodes[name] for name in self.around.beside if name in inventory.nodes]
        keys = {term.topology_key for term in self.around.affinity}
        return {(key, node.labels[key]) for node in nodes for key in keys if key in node.labels}

    def _own(self, term: Term) -> bool:
        """Return whether a term speaks of the demand's own pods."""
        return term.covers(self._demand.workload.namespace, self._demand.labels)

    def _there(
        self, spread: Spread, counted: Mapping[str, int], inventory: Inventory
    ) -> dict[str, int]:
        """Return the counted pods by domain; nodes that have not all keys of all constraints are in none."""
        keys = [each.key for each in self.around.spreads]
        spec = self._demand.spec
        there: dict[str, int] = {}
        for node in inventory.nodes.values():
            if not all(key in node.labels for key in keys):
                continue
            if spread.honors_affinity and unselected(spec, node.name, node.labels):
                continue
            if spread.honors_taints and untolerated(node.taints, spec.get("tolerations") or ()):
                continue
            domain = node.labels[spread.key]
            there[domain] = there.get(domain, 0) + counted.get(node.name, 0)
        return there

    def reason(self, node: Node) -> str:
        """Return why a node takes none of the pods, empty where it may."""
        spec = self._demand.spec
        taint = untolerated(node.taints, spec.get("tolerations") or ())
        if taint is not None:
            return _taint_text(taint)
        if self.ports and ports_clash(self.ports, node.ports):
            return "a port of the node that they want is taken"
        return (
            unselected(spec, node.name, node.labels)
            or self._neighbour(node.labels)
            or self._spread_out(node.labels)
        )

    def _neighbour(self, labels: Mapping[str, str]) -> str:
        avoided = [key for key, value in self._blocked if labels.get(key) == value]
        if avoided:
            return f"anti-affinity to a pod in the same {avoided[0]}"
        for term in self.around.affinity:
            key = term.topology_key
            if key not in labels:
                return f"affinity to pods in the same {key}, and it has no such label"
            if not self.first_decides and (key, labels[key]) not in self._beside:
                return f"affinity to pods in the same {key}, where none runs"
        return ""

    def _spread_out(self, labels: Mapping[str, str]) -> str:
        for each in self.spreads:
            key = each.spread.key
            if key not in labels:
                return f"spread over {key}, and it has no such label"
            if not each.spread.counts_itself and static_refusal(
                each.spread, each.there, labels[key]
            ):
                return f"spread over {key}: too many pods are in {labels[key]} already"
        return ""


def _taint_text(taint: Json) -> str:
    match taint["key"]:
        case "node.kubernetes.io/unschedulable":
            return "cordoned"
        case "node.kubernetes.io/not-ready":
            return "not ready"
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"taint {taint['key']}{value}:{taint['effect']} is not tolerated; a toleration would let the pods in"
