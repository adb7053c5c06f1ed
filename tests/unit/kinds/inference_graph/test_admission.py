# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's webhook refuses of a graph, and the API server, is told before anything is written: all of it at once."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json

from .build import document, errors, node

IRIS: Json = {"serviceName": "iris"}
STEPS = "spec.nodes.root.steps"


@pytest.mark.parametrize(
    ("nodes", "field", "words"),
    [
        ({"first": node("Sequence", IRIS)}, "spec.nodes", "no node is called root"),
        ({}, "spec.nodes", "no node is called root"),
        (
            {"root": node("Sequence", {"name": "a", **IRIS}, {"name": "a", **IRIS})},
            f"{STEPS}[1].name",
            f"is the name of {STEPS}[0] already",
        ),
        ({"root": node("Sequence", {"name": "a"})}, f"{STEPS}[0]", "has no target"),
        (
            {"root": node("Sequence", {**IRIS, "serviceUrl": "http://x"})},
            f"{STEPS}[0]",
            "leads to serviceName and serviceUrl; keep one",
        ),
        (
            {"root": node("Sequence", {"nodeName": "root", "serviceUrl": "http://x"})},
            f"{STEPS}[0]",
            "leads to nodeName and serviceUrl; keep one",
        ),
        (
            {"root": node("Splitter", {**IRIS, "weight": 100}, IRIS)},
            f"{STEPS}[1].weight",
            "each step of a Splitter needs its share",
        ),
        (
            {"root": node("Splitter", {**IRIS, "weight": 60}, {**IRIS, "weight": 60})},
            STEPS,
            "have to be 100 together, and these are 120",
        ),
        ({"root": node("Splitter")}, STEPS, "have to be 100 together, and these are 0"),
        (
            {"root": node("Sequence", IRIS), "x.y": node("Splitter")},
            'spec.nodes["x.y"].steps',
            "these are 0",
        ),
        ({"root": node("Any", IRIS)}, "spec.nodes.root.routerType", "Sequence"),
        ({"root": {"steps": [IRIS]}}, "spec.nodes.root.routerType", "missing"),
        (
            {"root": node("Sequence", {**IRIS, "dependency": "Some"})},
            f"{STEPS}[0].dependency",
            "Soft",
        ),
        ({"root": node("Sequence", {**IRIS, "weigth": 1})}, f"{STEPS}[0].weigth", "weight"),
        (
            {"root": node("Splitter", {**IRIS, "weight": "100"})},
            f"{STEPS}[0].weight",
            "not an integer",
        ),
        ({"root": None}, "spec.nodes", "no node is called root"),
        ({"root": []}, "spec.nodes.root", "not a map"),
    ],
)
def test_what_the_webhook_refuses_is_told_at_its_field(nodes: Json, field: str, words: str) -> None:
    found = errors(document(nodes))
    assert words in found.get(field, ""), found


def test_every_mistake_is_told_at_once() -> None:
    nodes = {
        "a": node("Splitter", {**IRIS, "weight": 1}, {"name": "x"}),
        "b": node("Sequence", {"name": "s", **IRIS}, {"name": "s", **IRIS}),
    }
    found = errors(document(nodes, name="Chain", scaleMetric="gpu"))
    assert found.keys() == {
        "metadata.name",
        "spec.nodes",
        "spec.nodes.a.steps[1].weight",
        "spec.nodes.a.steps[1]",
        "spec.nodes.b.steps[1].name",
        "spec.scaleMetric",
    }


@pytest.mark.parametrize("spec", [None, {}, {"nodes": None}, {"nodes": []}, {"nodes": "root"}])
def test_a_graph_without_nodes_is_refused(spec: Any) -> None:
    given = document()
    given["spec"] = spec
    assert "spec.nodes" in errors(given)


@pytest.mark.parametrize("name", ["Chain", "1chain", "a.b", "chain-", "a_b"])
def test_a_name_that_the_webhook_refuses_is_refused(name: str) -> None:
    assert "metadata.name" in errors(document(name=name))


def test_a_name_is_as_long_as_the_label_of_the_pods_lets_it_be() -> None:
    ingress = {"ingressGateway": "a/b", "domainTemplate": "{{ .Name }}.example.com"}
    assert errors(document(name="a" * 58), ingress=ingress) == {}
    assert "make the name 1 shorter" in errors(document(name="a" * 59))["metadata.name"]


def test_weights_that_are_100_together_are_right_whatever_each_is() -> None:
    steps = [{**IRIS, "weight": weight} for weight in (150, -50, 0)]
    assert errors(document({"root": node("Splitter", *steps)})) == {}
