# SPDX-License-Identifier: GPL-3.0-or-later
"""Where requests may go from node to node. Source: KServe cmd/router/main.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kube.manifest import Json
from .spec import ENSEMBLE, ROOT_NODE, SEQUENCE, Step, steps_of


def reached(spec: Json) -> frozenset[str]:
    """Return the nodes to which some request may come, those that are not there among them."""
    found: set[str] = set()
    waiting = [ROOT_NODE]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [step.value["nodeName"] for step in _hops(spec, node)]
    return frozenset(found)


def cycles(spec: Json) -> Iterator[Sequence[Step]]:
    """Yield the ways that lead back to the node where they begin, each once. The last step of each closes it."""
    done: set[str] = set()
    for start in spec["nodes"]:
        if start in done:
            continue
        way: list[Step] = []
        branches = [_hops(spec, start)]
        open_nodes = [start]
        while branches:
            step = next(branches[-1], None)
            if step is None:
                branches.pop()
                done.add(open_nodes.pop())
                if way:
                    way.pop()
                continue
            target = step.value["nodeName"]
            if target in open_nodes:
                yield (*way[open_nodes.index(target) :], step)
            elif target not in done:
                way.append(step)
                open_nodes.append(target)
                branches.append(_hops(spec, target))


def always_taken(spec: Json, step: Step) -> bool:
    """Tell whether every request that comes to the node of a step takes it: nothing chooses between it and others, or ends before it."""
    kind = spec["nodes"][step.node]["routerType"]
    if kind == ENSEMBLE:
        return True
    if kind == SEQUENCE:
        before = list(steps_of(spec, step.node))[: step.number + 1]
        return not any(
            each.value.get("condition") or each.value.get("dependency") == "Hard" for each in before
        )
    return len(list(steps_of(spec, step.node))) == 1 and not step.value.get("condition")


def _hops(spec: Json, node: str) -> Iterator[Step]:
    """Yield the steps of a node that lead to another node."""
    return (step for step in steps_of(spec, node) if step.value.get("nodeName"))
