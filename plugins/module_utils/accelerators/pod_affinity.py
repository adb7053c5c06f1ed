# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that must or must not run beside each other: required affinity and anti-affinity between pods.

Source: k8s.io/kubernetes v1.36.3, scheduler plugin InterPodAffinity; registry/core/pod/strategy.go for the label keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kube.manifest import FieldPath, Json, value_at
from ..kube.selector import selector_keys, selects

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
AFFINITY: FieldPath = ("affinity", "podAffinity", _REQUIRED)
ANTI_AFFINITY: FieldPath = ("affinity", "podAntiAffinity", _REQUIRED)
#: Labels that controllers give to pods, which their template does not show: keys, and the domains of keys.
_OF_CONTROLLERS = (
    "pod-template-hash",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "apps.kubernetes.io",
    "batch.kubernetes.io",
    "statefulset.kubernetes.io",
    "leaderworkerset.sigs.k8s.io",
)


@dataclass(frozen=True, slots=True)
class Term:
    """Pods of which one, or none, must be in the same domain.

    namespaces: empty for all. vague: it selects namespaces by labels, which are not read.
    """

    namespaces: frozenset[str]
    selector: Mapping[str, Any]
    topology_key: str
    vague: bool = False

    def covers(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Return whether it speaks of a pod; a vague one may."""
        return (not self.namespaces or namespace in self.namespaces) and selects(
            self.selector, labels
        )


def terms(
    spec: Json, path: FieldPath, namespace: str, labels: Mapping[str, str] | None = None
) -> Sequence[Term]:
    """Return the required terms of a pod. labels: of a pod that is not made yet, into whose selectors the server writes them."""
    return [
        _term(term, namespace, labels or {})
        for term in value_at(spec, path) or ()
        # Without a selector it speaks of no pod; with affinity such a pod finds no node.
        if term.get("labelSelector") is not None or path == AFFINITY
    ]


def _term(term: Json, namespace: str, labels: Mapping[str, str]) -> Term:
    named = frozenset(term.get("namespaces") or ())
    by_labels = term.get("namespaceSelector")
    everywhere = by_labels is not None
    keys = (("In", "matchLabelKeys"), ("NotIn", "mismatchLabelKeys"))
    more = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for operator, field in keys
        for key in term.get(field) or ()
        if key in labels
    ]
    return Term(
        frozenset() if everywhere else named or frozenset({namespace}),
        with_expressions(term.get("labelSelector"), more),
        term["topologyKey"],
        vague=bool(by_labels),
    )


def with_expressions(selector: Json | None, more: Sequence[Json]) -> Mapping[str, Any]:
    """Return a selector that asks for more; where there is none, one that takes no pod."""
    if selector is None:
        return {"matchExpressions": [{"key": "", "operator": "Exists"}]}
    return {**selector, "matchExpressions": [*(selector.get("matchExpressions") or ()), *more]}


def unknown_labels(wanted: Sequence[Json], labels: Mapping[str, str]) -> Iterator[str]:
    """Yield keys at which terms or constraints look, and whose value on our pods is not known, since a controller sets it."""
    fields = ("matchLabelKeys", "mismatchLabelKeys")
    keys = {key for each in wanted for field in fields for key in each.get(field) or ()}
    for each in wanted:
        keys |= selector_keys(each.get("labelSelector") or {})
    for key in sorted(keys - labels.keys()):
        if key.partition("/")[0] in _OF_CONTROLLERS:
            yield key
