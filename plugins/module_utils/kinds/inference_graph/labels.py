# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels by which KServe knows what belongs to a graph. Source: KServe pkg/constants/constants.go@v0.17.0."""

from __future__ import annotations

Labels = dict[str, str]

GRAPH = "serving.kserve.io/inferencegraph"
APP = "app"
#: Of what a pod is made; only pods of Knative have it.
KIND = "serving.kserve.io/kind"


def graph(name: str) -> Labels:
    """Return the labels of a graph's objects and pods beside its author's."""
    return {GRAPH: name, **app(name)}


def revision(name: str) -> Labels:
    """Return the labels of the pods that Knative runs."""
    return {GRAPH: name, KIND: "InferenceGraph"}


def app(name: str) -> Labels:
    """Return the label by which Deployment and Service find the router's pods."""
    return {APP: f"isvc.{name}"}


def all_labels(name: str) -> dict[str, Labels]:
    """Return the label sets of a graph by what carries them; the labels that its author gives are not among them."""
    return {"object": graph(name), "pod": graph(name), "selector": app(name)}
