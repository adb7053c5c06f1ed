# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes and steps that the webhook refuses. Source: KServe pkg/apis/serving/v1alpha1/inference_graph_validation.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ..spec import ROOT_NODE, SPLITTER, Step, all_steps, node_path, steps_of

_TARGETS = ("nodeName", "serviceName", "serviceUrl")
_ALL = 100


def node_problems(spec: Json) -> Iterator[Problem]:
    """Yield everything that the webhook refuses of a graph, where it stops at the first. spec: with the defaults of its schema."""
    if ROOT_NODE not in spec["nodes"]:
        message = f"no node is called {ROOT_NODE}, where every request begins; add it, or rename the first node"
        yield Problem("spec.nodes", message, rule="graph-root")
    for node, value in spec["nodes"].items():
        steps = list(steps_of(spec, node))
        yield from _names(steps)
        if value["routerType"] == SPLITTER:
            yield from _weights(node, steps)
    for step in all_steps(spec):
        yield from _targets(step)


def _names(steps: list[Step]) -> Iterator[Problem]:
    first: dict[str, Step] = {}
    for step in steps:
        name = step.value.get("name")
        if name and first.setdefault(name, step) is not step:
            message = f"{show(name)} is the name of {first[name].path} already; each step of a node needs its own"
            yield Problem(f"{step.path}.name", message, rule="graph-step-name")


def _targets(step: Step) -> Iterator[Problem]:
    given = [field for field in _TARGETS if step.value.get(field)]
    if not given:
        message = f"has no target: give one of {', '.join(_TARGETS)}"
        yield Problem(step.path, message, rule="graph-target")
    elif len(given) > 1:
        message = f"leads to {' and '.join(given)}; keep one of them"
        yield Problem(step.path, message, rule="graph-target")


def _weights(node: str, steps: list[Step]) -> Iterator[Problem]:
    missing = [step for step in steps if step.value.get("weight") is None]
    for step in missing:
        message = "missing: each step of a Splitter needs its share of the requests in per cent"
        yield Problem(f"{step.path}.weight", message, rule="graph-weight")
    total = sum(step.value.get("weight") or 0 for step in steps)
    if not missing and total != _ALL:
        message = f"the weights of a Splitter have to be {_ALL} together, and these are {total}"
        yield Problem(f"{node_path(node)}.steps", message, rule="graph-weight")
