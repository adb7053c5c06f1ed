# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that spread pods over nodes and zones: whether they count the pods that they stand in.

Source: Kubernetes API reference, TopologySpreadConstraint v1 core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.selector import selector_keys, selects

UNCOUNTED = Check(
    "spread-selector",
    WARNING,
    finds="the labelSelector selects none of these pods, so the constraint does not spread them: they have {labels}",
    fix="select labels that the pods have",
)


@check(UNCOUNTED, costly=True)
def uncounted(view: ServiceView) -> Iterator[Problem]:
    """Yield spread constraints that select none of their own pods."""
    for workload in view.workloads:
        for number, constraint in enumerate(workload.pod.get("topologySpreadConstraints") or ()):
            selector = constraint.get("labelSelector")
            if selector is None or selects(selector, workload.labels):
                continue
            if _may_come(selector, workload.labels):
                continue
            place = workload.fields(f"topologySpreadConstraints[{number}]")
            if place.is_authors:
                labels = ", ".join(f"{key}={value}" for key, value in workload.labels.items())
                yield UNCOUNTED.at(place, labels=labels)


def _may_come(selector: Json, labels: Mapping[str, str]) -> bool:
    """Tell whether a selector asks for labels that a controller gives to the pods later; those have a prefix."""
    return any("/" in key for key in selector_keys(selector) - labels.keys())
