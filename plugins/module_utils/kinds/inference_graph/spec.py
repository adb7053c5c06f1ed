# SPDX-License-Identifier: GPL-3.0-or-later
"""An InferenceGraph, as everything behind the door reads it. Source: serving.kserve.io/v1alpha1 of KServe v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reference import Reference
from ...kube.schema_check import child_path
from ..kserve.service import KServeService

API_VERSION = gvk.KSERVE_V1ALPHA1
KIND = "InferenceGraph"

#: Where every request begins.
ROOT_NODE = "root"
SEQUENCE, SPLITTER, ENSEMBLE, SWITCH = "Sequence", "Splitter", "Ensemble", "Switch"
ROUTER_TYPES = (SEQUENCE, SPLITTER, ENSEMBLE, SWITCH)


class Step(NamedTuple):
    """One step of a node. path: where it is in the document."""

    node: str
    number: int
    path: str
    value: Json


@dataclass(frozen=True, slots=True)
class InferenceGraph(KServeService):
    """One graph. spec: with the defaults of its schema. Never changed in place."""

    spec: Json

    @property
    def reference(self) -> Reference:
        """The name of the custom resource."""
        return Reference(API_VERSION, KIND, self.namespace, self.name)


def node_path(node: str) -> str:
    """Return where a node is in a document."""
    return child_path("spec.nodes", node)


def steps_of(spec: Json, node: str) -> Iterator[Step]:
    """Yield the steps of a node; none of one that is not there."""
    for number, value in enumerate((spec["nodes"].get(node) or {}).get("steps") or ()):
        yield Step(node, number, f"{node_path(node)}.steps[{number}]", value)


def all_steps(spec: Json) -> Iterator[Step]:
    """Yield the steps of all nodes."""
    for node in spec["nodes"]:
        yield from steps_of(spec, node)
