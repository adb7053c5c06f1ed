# SPDX-License-Identifier: GPL-3.0-or-later
"""From a custom resource to a typed graph: checked, with the defaults of its schema.

Source: KServe pkg/apis/serving/v1alpha1/inference_graph_validation.go@v0.17.0.
"""

from __future__ import annotations

from ...kube.envelope import as_applied, read_envelope
from ...kube.manifest import Json
from ...kube.schema_check import check
from ..kind import Loaded
from ..kserve.load import loaded, outside
from .admission.naming import name_problems
from .admission.nodes import node_problems
from .schema import SPEC
from .settings import Settings
from .spec import API_VERSION, KIND, InferenceGraph


def load(document: Json, settings: Settings) -> Loaded[InferenceGraph]:  # noqa: ARG001
    """Return the graph that a custom resource describes, and every problem of it. No graph where there is an error."""
    envelope = read_envelope(document, API_VERSION, KIND)
    spec = check(SPEC, document.get("spec") or {}, "spec", keep_empty=True)
    found = [*envelope.problems, *spec.problems]
    judged = [*name_problems(envelope.name)]
    if not any(problem.path in ("spec", "spec.nodes") for problem in found):
        judged += node_problems(spec.value)

    def make() -> InferenceGraph:
        return InferenceGraph(**outside(as_applied(document, envelope), envelope), spec=spec.value)

    return loaded(found, judged, make)
