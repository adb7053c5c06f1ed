# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that pods ask for by their labels, and that the cluster does not have. Where nodes come by themselves, labels may come with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..accelerators.kueue import QUEUE_LABEL
from ..accelerators.node_eligibility import unselected, untolerated
from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.containers import containers_of
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import NotAllowed, Reader
from ..kube.reference import Reference
from ..kube.text import few
from .node_demands import Demand, required, selected, with_values

_HOST = "kubernetes.io/hostname"
_SHOWN = 4
#: Where an autoscaler of nodes reports.
_REPORT = Reference("v1", "ConfigMap", "kube-system", "cluster-autoscaler-status")

ABSENT = Check(
    "node-absent",
    WARNING,
    finds="{nodes} {label}: {value}: the pods stay Pending",
    fix="{way}",
)
TAINTED = Check(
    "node-absent",
    WARNING,
    finds="every node among the given objects that the pods may choose keeps them away by a taint, {node} by {taint}: the pods stay Pending",
    fix="tolerate it in tolerations, or choose other nodes",
)


@check(TAINTED, reads=("Nodes",))
def node_tainted(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield pods that tolerate the taints of no node. In a cluster, the search for room tells it of pods with devices."""
    if reader.complete or _grows(reader):
        return
    nodes = reader.list("v1", "Node", "", {})
    for workload in view.workloads if nodes else ():
        labels = {**(view.document["metadata"].get("labels") or {}), **workload.labels}
        # What Kueue admits, it may give tolerations.
        taints = {} if QUEUE_LABEL in labels else _taints(workload, nodes)
        kept = [(name, taint) for name, taint in taints.items() if taint is not None]
        if kept and len(kept) == len(taints):
            name, taint = kept[0]
            shown = f"{taint['key']}={taint.get('value') or ''}:{taint['effect']}"
            place = workload.fields("tolerations")
            yield TAINTED.at(place, node=name, taint=shown.replace("=:", ":"))


def _taints(workload: Workload, nodes: Sequence[Json]) -> dict[str, Json | None]:
    """Return the nodes that a pod may choose, each with the taint that keeps it away."""
    # Clusters tolerate for a pod what is called as a resource that it asks for.
    asked = {
        name
        for container, dummy in containers_of(workload.pod)
        for name in value_at(container, ("resources", "limits")) or {}
    }
    tolerations = workload.pod.get("tolerations") or ()
    found: dict[str, Json | None] = {}
    for node in nodes:
        name, labels = str(node["metadata"]["name"]), node["metadata"].get("labels") or {}
        given = value_at(node, ("spec", "taints")) or ()
        taints = [each for each in given if each.get("key") not in asked]
        if not unselected(workload.pod, name, labels):
            found[name] = untolerated(taints, tolerations)
    return found


@check(ABSENT, reads=("Nodes",))
def node_absent(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield labels that pods demand of their node, and that no node has."""
    # What nodes are called nobody knows before they are there; of other labels only what is given as a whole is judged.
    hosts_only = reader.complete or _grows(reader)
    asked = [
        (workload, each)
        for workload in view.workloads
        for each in demanded(workload)
        if each.key == _HOST or not hosts_only
    ]
    nodes = _nodes(reader) if asked else ()
    if not nodes:
        return
    for workload, demand in asked:
        label, values = demand.key, demand.values
        there = sorted({labels[label] for labels in nodes if label in labels})
        if {*values} & {*there}:
            continue
        near = nearest(values[0], there) if label != _HOST else None
        shown = few(there, _SHOWN)
        way = f"write {near}" if near else f"write one of {shown}" if there else "label a node so"
        yield ABSENT.at(
            workload.fields(demand.path),
            nodes="no node has" if reader.complete else "no node among the given objects has",
            label=label,
            value=" or ".join(values),
            way=way,
        )


def _nodes(reader: Reader) -> Sequence[Mapping[str, str]]:
    """Return the labels of all nodes, none where they may not be read."""
    try:
        found = reader.list("v1", "Node", "", {})
    except NotAllowed:
        return ()
    return [
        {_HOST: str(each["metadata"]["name"]), **(each["metadata"].get("labels") or {})}
        for each in found
    ]


def _grows(reader: Reader) -> bool:
    """Tell whether something in the cluster makes nodes when pods wait."""
    pools = reader.list("karpenter.sh/v1", "NodePool", "", {})
    return bool(pools) or reader.get(_REPORT) is not None


def demanded(workload: Workload) -> Iterator[Demand]:
    """Yield what every node of a workload has to have, and which values will do."""
    terms = required(workload)
    # A node that meets one of several terms will do.
    yield from with_values([*selected(workload), *(terms[0] if len(terms) == 1 else ())])
