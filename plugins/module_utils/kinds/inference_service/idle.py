# SPDX-License-Identifier: GPL-3.0-or-later
"""Why fields of an InferenceService come to nothing. Source: KServe pkg/controller/v1beta1/inferenceservice@v0.17.0."""

from __future__ import annotations

from ..idle import Idle
from ..kserve.modes import STANDARD
from .admission.multi_node import CLASS_ANNOTATION
from .resolved import Resolved


def _standard(resolved: Resolved) -> bool:
    return resolved.mode == STANDARD


def _scaled_by_others(resolved: Resolved) -> bool:
    return resolved.service.annotations.get(CLASS_ANNOTATION) in ("external", "none")


IDLE: tuple[Idle, ...] = (
    Idle(
        r".*annotations\[\"autoscaling\.knative\.dev/min-?[sS]cale\"\]",
        "KServe keeps it back, and writes it from minReplicas itself",
        "set minReplicas of the component, for example spec.predictor.minReplicas",
    ),
    Idle(
        r".*annotations\[\"autoscaling\.knative\.dev/max-?[sS]cale\"\]",
        "KServe keeps it back, and writes it from maxReplicas itself",
        "set maxReplicas of the component, for example spec.predictor.maxReplicas",
    ),
    Idle(
        r"spec\.[a-z]+\.(minReplicas|maxReplicas|scaleMetric|scaleTarget|scaleMetricType|autoScaling)(\..+)?",
        f"the annotation {CLASS_ANNOTATION} leaves the number of pods to somebody else",
        "leave it out, or use the class hpa or keda",
        _scaled_by_others,
    ),
    Idle(
        r"spec\.[a-z]+\.(containerConcurrency|timeout)",
        "Knative reads it, but nothing in Standard mode does",
        "leave it out, or use Knative mode",
        _standard,
    ),
    Idle(
        r"spec\.[a-z]+\.autoScaling\..+",
        "the autoscaler that {release} creates does not get it",
        "leave it out, or use the other class of autoscaler (annotation serving.kserve.io/autoscalerClass)",
    ),
    Idle(
        r"spec\.[a-z]+\.storageUris(\[[0-9]+\])?(\..+)?",
        "{release} brings no model of this list from an image into the pods",
        "give the image as storageUri of the model, or an address of another scheme",
    ),
    Idle(r".+\.storage\.schemaPath", "KServe keeps it, and nothing reads it", "leave it out"),
)
