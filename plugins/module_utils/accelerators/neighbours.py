# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that must not run beside each other: required anti-affinity between pods.

Source: k8s.io/kubernetes v1.36.3, scheduler plugin InterPodAffinity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kube.manifest import Json, value_at
from ..kube.selector import selects

_REQUIRED = ("affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


@dataclass(frozen=True, slots=True)
class Term:
    """Pods that must not be in the same domain. namespaces: empty for all."""

    namespaces: frozenset[str]
    selector: Mapping[str, Any]
    topology_key: str

    def covers(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Return whether it speaks of a pod."""
        return (not self.namespaces or namespace in self.namespaces) and selects(
            self.selector, labels
        )


def anti_affinity(spec: Json, namespace: str) -> Sequence[Term]:
    """Return the required terms of a pod. A selector of namespaces is taken for all namespaces, which may be too strict."""
    return [
        _term(term, namespace)
        for term in value_at(spec, _REQUIRED) or ()
        # Without a selector it speaks of no pod.
        if term.get("labelSelector") is not None
    ]


def _term(term: Json, namespace: str) -> Term:
    named = frozenset(term.get("namespaces") or ())
    anywhere = term.get("namespaceSelector") is not None
    return Term(
        frozenset() if anywhere else named or frozenset({namespace}),
        term["labelSelector"],
        term["topologyKey"],
    )
