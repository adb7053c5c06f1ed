# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs that KServe takes and that do not do what they say are warned about, at the field."""

from __future__ import annotations

from typing import Any

import pytest

from tests.objects import Cluster
from tests.unit.checks.checked import warnings
from tests.unit.kinds.inference_service.build import config_map

from .build import document, node, service

Json = dict[str, Any]
IRIS: Json = {"serviceName": "iris"}
STEPS = "spec.nodes.root.steps"


def told(given: Json, *objects: Json) -> dict[str, str]:
    """Return what is told of a graph: field → rule and message."""
    found = warnings(given, Cluster([config_map(), *(objects or (service(),))]))
    return {each.path: f"{rule}: {each.message}" for rule, each in found.items()}


def test_a_right_graph_is_not_warned_about() -> None:
    nodes = {
        "root": node(
            "Sequence", IRIS, {"nodeName": "split", "data": "$response", "condition": "a"}
        ),
        "split": node("Splitter", {**IRIS, "weight": 30}, {"nodeName": "all", "weight": 70}),
        "all": node("Ensemble", {**IRIS, "dependency": "Hard"}, {"nodeName": "pick"}),
        "pick": node("Switch", {**IRIS, "condition": "b"}),
    }
    assert told(document(nodes)) == {}


@pytest.mark.parametrize(
    ("nodes", "field", "words"),
    [
        (
            {"root": node("Sequence", {"nodeName": "secnd"}), "second": node("Sequence", IRIS)},
            f"{STEPS}[0].nodeName",
            "graph-node: the graph has no node secnd, so every request that takes this step gets 500; did you mean second?",
        ),
        (
            {"root": node("Sequence", {"nodeName": "root"})},
            f"{STEPS}[0].nodeName",
            "graph-cycle: this step closes a loop, root → root: no request ever ends",
        ),
        (
            {
                "root": node("Sequence", {"nodeName": "b"}),
                "b": node("Ensemble", IRIS, {"nodeName": "c"}),
                "c": node("Splitter", {**IRIS, "weight": 50}, {"nodeName": "b", "weight": 50}),
            },
            "spec.nodes.c.steps[1].nodeName",
            "loop, b → c → b: a request ends only where",
        ),
        (
            {"root": node("Sequence", IRIS), "left": node("Sequence", IRIS)},
            "spec.nodes.left",
            "graph-unreached: no step leads from root to the node left",
        ),
        ({"root": node("Sequence")}, "spec.nodes.root", "graph-empty"),
        ({"root": node("Ensemble")}, "spec.nodes.root", "it answers {} to every request"),
        ({"root": node("Switch")}, "spec.nodes.root", "ends with 404"),
        (
            {"root": node("Splitter", {**IRIS, "weight": 100}, {**IRIS, "weight": 0})},
            f"{STEPS}[1].weight",
            "graph-weight: a weight of 0 never gets a request",
        ),
        (
            {"root": node("Splitter", {**IRIS, "weight": -50}, {**IRIS, "weight": 150})},
            f"{STEPS}[0].weight",
            "takes as much from the step after it",
        ),
        (
            {"root": node("Switch", IRIS)},
            f"{STEPS}[0]",
            "graph-condition: a step of a Switch without",
        ),
        (
            {"root": node("Sequence", {**IRIS, "condition": "a"})},
            f"{STEPS}[0].condition",
            "graph-condition: the first step of a Sequence",
        ),
        (
            {"root": node("Sequence", IRIS, IRIS, {**IRIS, "data": "$response"})},
            f"{STEPS}[0]",
            "graph-answer: nothing reads the response of this step",
        ),
        (
            {"root": node("Sequence", {**IRIS, "weight": 100})},
            f"{STEPS}[0].weight",
            "no-effect: 100 has no effect: the router reads it in nodes of type Splitter",
        ),
        (
            {"root": node("Splitter", {**IRIS, "weight": 100, "condition": "a"})},
            f"{STEPS}[0].condition",
            "this one is a Splitter",
        ),
        (
            {"root": node("Sequence", IRIS, {**IRIS, "data": "$response.predictions"})},
            f"{STEPS}[1].data",
            "the router knows $response",
        ),
        (
            {"root": node("Sequence", {**IRIS, "data": "$response"})},
            f"{STEPS}[0].data",
            "before the first step there is no answer",
        ),
        (
            {"root": node("Ensemble", {**IRIS, "mapPredictionsToInstances": True})},
            f"{STEPS}[0].mapPredictionsToInstances",
            "of type Sequence",
        ),
        (
            {"root": node("Sequence", {"serviceUrl": "iris/predict"})},
            f"{STEPS}[0].serviceUrl",
            'graph-url: "iris/predict" is not a URL',
        ),
        (
            {"root": node("Sequence", {"serviceUrl": "http://nobody.team-a.svc.cluster.local/x"})},
            f"{STEPS}[0].serviceUrl",
            "graph-url: Service team-a/nobody does not exist",
        ),
    ],
)
def test_a_step_that_does_not_do_what_it_says_is_told(nodes: Json, field: str, words: str) -> None:
    found = told(document(nodes))
    assert words in found.get(field, ""), found


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        ({"timeout": 5}, "spec.timeout", "Knative obeys it"),
        ({"scaleMetric": "rps"}, "spec.scaleMetric", "it is Knative's"),
        ({"scaleMetric": "memory"}, "spec.scaleMetric", "no target is given"),
        (
            {"routerTimeouts": {"serviceClient": 300}},
            "spec.routerTimeouts.serviceClient",
            "may take 300 seconds, but after 60 seconds",
        ),
        (
            {"routerTimeouts": {"serviceClient": 50, "serverWrite": 30}},
            "spec.routerTimeouts.serverWrite",
            "after 30 seconds",
        ),
        ({"autoscaler": "external", "minReplicas": 2}, "spec.minReplicas", "to somebody else"),
        ({"autoscaler": "none", "maxReplicas": 2}, "spec.maxReplicas", "to somebody else"),
    ],
)
def test_a_field_that_nothing_obeys_is_told(spec: Json, field: str, words: str) -> None:
    wanted = spec.pop("autoscaler", "hpa")
    found = told(document(annotations={"autoscalerClass": wanted}, **spec))
    assert words in found.get(field, ""), found


def test_an_answer_that_decides_or_is_sent_on_is_not_passed_over() -> None:
    gate = {**IRIS, "dependency": "Hard"}
    chosen = {**IRIS, "condition": "predictions.0", "data": "$request"}
    steps = (gate, IRIS, chosen, {**IRIS, "data": "$response"})
    times = {"serviceClient": 300, "serverWrite": 300}
    assert told(document({"root": node("Sequence", *steps)}, routerTimeouts=times)) == {}


def test_a_service_that_does_not_answer_is_told() -> None:
    stopped = service(annotations={"serving.kserve.io/stop": "true"})
    assert "is stopped by its annotation" in told(document(), stopped)[f"{STEPS}[0].serviceName"]
    unready = service(status={"conditions": [{"type": "Ready", "status": "False"}]})
    assert "is not ready" in told(document(), unready)[f"{STEPS}[0].serviceName"]


def test_a_service_of_the_cluster_that_is_there_is_not_told() -> None:
    there = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x", "namespace": "b"}}
    nodes = {"root": node("Sequence", {"serviceUrl": "http://x.b.svc:8000/a"})}
    assert told(document(nodes), service(), there) == {}


@pytest.mark.parametrize(
    ("address", "itself"),
    [
        ("http://chain", True),
        ("http://chain:80/", True),
        ("http://chain.team-a/v1", True),
        ("http://chain.team-a.svc", True),
        ("http://CHAIN.team-a.svc.cluster.local/", True),
        ("http://chain-team-a.example.com", True),
        ("http://chain.team-b", False),
        ("http://chains.team-a", False),
        ("http://chain.example.com", False),
        ("http://[chain", False),
    ],
)
def test_an_address_of_the_graph_itself_is_told(address: str, itself: bool) -> None:
    found = told(document({"root": node("Sequence", {"serviceUrl": address})}))
    assert ("is this graph itself" in found.get(f"{STEPS}[0].serviceUrl", "")) is itself


def test_circles_of_many_nodes_are_each_told_once() -> None:
    steps = [{"nodeName": f"n{number}"} for number in range(8)]
    nodes = {f"n{number}": node("Ensemble", *steps) for number in range(8)}
    nodes["root"] = node("Sequence", {"nodeName": "n0"})
    found = warnings(document(nodes), Cluster([config_map()]))
    assert found["graph-cycle"]
