# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pods of a cluster mean to the pods of one demand: taken in one by one, of which only nodes and numbers are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..kube.manifest import Json, value_at
from ..kube.selector import selects
from .demand import Demand
from .pod_affinity import AFFINITY, ANTI_AFFINITY, Term, terms, unknown_labels
from .topology_spread import Spread, constraints, spreads


class ScheduledPods:
    """The surroundings of one demand.

    there: its own pods. blocked: topology keys, each with a node of a pod beside which they must not run. beside: nodes of pods
    that they want beside them. counted: for each spread constraint, pods that it counts, by node. vague: what is not known.
    """

    def __init__(self, demand: Demand) -> None:
        spec, labels, namespace = demand.spec, demand.labels, demand.workload.namespace
        self.affinity = terms(spec, AFFINITY, namespace, labels)
        self.anti_affinity = terms(spec, ANTI_AFFINITY, namespace, labels)
        self.spreads: Sequence[Spread] = spreads(spec, labels)
        self.there = 0
        self.blocked: set[tuple[str, str]] = set()
        self.beside: set[str] = set()
        self.counted: list[Counter[str]] = [Counter() for dummy in self.spreads]
        self.vague: dict[str, None] = dict.fromkeys(self._vague_terms(demand))
        self._demand = demand

    @property
    def looks_at_pods(self) -> bool:
        """Whether pods of other namespaces may matter to it."""
        return bool(self.affinity or self.anti_affinity)

    def _vague_terms(self, demand: Demand) -> Iterator[str]:
        if any(term.vague for term in [*self.affinity, *self.anti_affinity]):
            yield "affinity to pods of namespaces that a selector names"
        wanted = [*constraints(demand.spec)]
        for path in (AFFINITY, ANTI_AFFINITY):
            wanted += value_at(demand.spec, path) or ()
        for key in unknown_labels(wanted, demand.labels):
            yield f"the label {key}, which a controller sets"

    def add_own(self, manifest: Json, labels: Mapping[str, str], node: str) -> None:
        """Take in a pod of the demand's namespace that is not being deleted. node: empty where it has none."""
        self.there += _is_one_of(manifest, labels, self._demand)
        if node:
            for spread, counted in zip(self.spreads, self.counted, strict=True):
                if spread.counts(labels):
                    counted[node] += 1

    def add(
        self, namespace: str, labels: Mapping[str, str], node: str, theirs: Sequence[Term]
    ) -> None:
        """Take in a pod on a node. theirs: beside which pods it does not want to run."""
        own = self._demand
        for term in self.anti_affinity:
            if not term.vague and term.covers(namespace, labels):
                self.blocked.add((term.topology_key, node))
        for term in theirs:
            if term.covers(own.workload.namespace, own.labels):
                if term.vague:
                    self.vague["anti-affinity of pods to namespaces that a selector names"] = None
                else:
                    self.blocked.add((term.topology_key, node))
        if self.affinity and all(term.covers(namespace, labels) for term in self.affinity):
            self.beside.add(node)


def _is_one_of(pod: Json, labels: Mapping[str, str], demand: Demand) -> bool:
    if demand.workload.kind == "Pod":
        return bool(pod["metadata"].get("name") == demand.workload.name)
    return bool(demand.selector) and selects(demand.selector, labels)
