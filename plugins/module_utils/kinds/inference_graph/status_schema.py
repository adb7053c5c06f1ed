# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an InferenceGraph, as its CRD declares it. Source: KServe pkg/apis/serving/v1alpha1/inference_graph.go@v0.17.0."""

from __future__ import annotations

from ...kube.core_schema import string_map
from ...kube.schema import Integer, Object, Text
from ..kserve.status_schema import CONDITIONS

STATUS = Object(
    description="How the graph is.",
    fields={
        "annotations": string_map("Never set."),
        "conditions": CONDITIONS,
        "observedGeneration": Integer(
            description="Generation of the Deployment that its controller has seen.", bits=64
        ),
        "url": Text(description="Where it would be reached from outside, by a route of your own."),
        "deploymentMode": Text(description="Never set."),
    },
)
