# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the pods of a pool have the labels that a configuration's filters look for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..kube.manifest import Json
from ..kube.selector import selector_keys, selects
from .check import Report
from .findings import Finding, warning
from .workloads import as_map, pod_labels

_BY_LABEL = "by-label"
_BY_SELECTOR = ("by-label-selector", "label-selector-filter")
#: Labels that pods get from whoever makes or places them; no template has them.
_GIVEN = re.compile(
    r"pod-template-hash|controller-revision-hash"
    r"|(apps|statefulset|topology|batch)\.kubernetes\.io/.*|leaderworkerset\.sigs\.k8s\.io/.*"
)


def pod_label_findings(workloads: Iterable[Json], report: Report) -> Iterator[Finding]:
    """Yield filters by label that let no pod through. workloads: pods, or what has a pod template."""
    labels = [pod_labels(workload) for workload in workloads]
    for number, plugin in enumerate(report.config.get("plugins", ())):
        parameters = as_map(plugin.get("parameters"))
        kind = plugin.get("type")
        if kind == _BY_LABEL:
            keys = {str(parameters.get("label") or "")}
            passing = [each for each in labels if _has_value(parameters, each)]
        elif kind in _BY_SELECTOR:
            keys = set(selector_keys(parameters))
            passing = [each for each in labels if selects(parameters, each)]
        else:
            continue
        if labels and not passing and not any(map(_GIVEN.fullmatch, keys)):
            yield warning(
                "filter-without-pods",
                f"plugins[{number}].parameters",
                plugin.get("name"),
                f"{plugin.get('name')} lets no pod through: none has the labels that it looks for",
                "label the pods of the workload, or correct the filter",
            )


def _has_value(parameters: Json, labels: Mapping[str, str]) -> bool:
    label = str(parameters.get("label") or "")
    if label not in labels:
        return parameters.get("allowsNoLabel") is True
    return labels[label] in (parameters.get("validValues") or ())
