# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of graphs in Knative mode: what Knative refuses.

Source: KServe v0.17.0, pkg/controller/v1alpha1/inferencegraph/knative_reconciler.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.problem import Problem
from ...kube.reader import Reader
from ..check import ERROR, WARNING, Check, check
from ..kserve.knative.annotations import annotation_faults, class_of, scaling_doubts
from ..kserve.knative.features import FEATURES_OFF, switched_off, told_off
from ..kserve.knative.limits import BEYOND_LIMITS, number_faults, scaling_faults
from ..kserve.knative.scaling import zero_doubts
from ..kserve.modes import KNATIVE
from ..view import ServiceView
from .resolved import Resolved

WITHOUT_EFFECT = Check("no-effect", WARNING, finds="{effect}", fix="{way}")


@check(WITHOUT_EFFECT, reads=("ConfigMaps",))
def scaled_by_nobody(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield annotations by which nothing is scaled."""
    given = view.document["metadata"].get("annotations") or {}
    if view.basis.mode != KNATIVE:
        return
    doubts = (*scaling_doubts(given, class_of(given)), *zero_doubts(given, reader))
    for name, effect, way in doubts:
        yield WITHOUT_EFFECT.at(f'metadata.annotations["{name}"]', effect=effect, way=way)


@check(FEATURES_OFF, reads=("ConfigMaps",))
def features(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield features of the router's pods that are switched off in Knative."""
    for workload in view.workloads if view.basis.mode == KNATIVE else ():
        missing = switched_off(workload.pod, reader)
        if missing:
            yield told_off("spec", missing)


@check(BEYOND_LIMITS, reads=("ConfigMaps",))
def knative_limits(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield numbers, fields and annotations that Knative refuses."""
    resolved: Resolved = view.basis
    spec, annotations = resolved.graph.spec, resolved.graph.annotations
    if resolved.mode != KNATIVE:
        return
    for field, fault, sure in number_faults({"timeout": spec.get("timeout")}, reader):
        severity = ERROR if sure else WARNING
        yield BEYOND_LIMITS.at(f"spec.{field}", severity=severity, fault=fault)
    for field, fault in scaling_faults(spec, annotations):
        yield BEYOND_LIMITS.at(f"spec.{field}", fault=fault)
    if spec.get("nodeName"):
        yield BEYOND_LIMITS.at("spec.nodeName", fault="takes no name of a node")
    for name, fault in annotation_faults(annotations, class_of(annotations)):
        yield BEYOND_LIMITS.at(f'metadata.annotations["{name}"]', fault=fault)
