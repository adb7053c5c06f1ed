# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes may take a pod at all: taints and tolerations, node selector, required node affinity.

Source: k8s.io/component-helpers v0.36.3 (nodeaffinity) and k8s.io/api v0.36.3 (Toleration.ToleratesTaint).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..kube.manifest import Json, value_at
from ..kube.selector import selects

#: Taints of these effects keep a pod away; `PreferNoSchedule` does not.
_KEEPS_AWAY = ("NoSchedule", "NoExecute")
_REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
#: What a cordon and a failing kubelet mean to the scheduler.
CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


def untolerated(taints: Sequence[Json], tolerations: Sequence[Json]) -> Json | None:
    """Return the first taint that keeps away pods with these tolerations."""
    for taint in taints:
        if taint.get("effect") in _KEEPS_AWAY and not any(
            tolerates(toleration, taint) for toleration in tolerations
        ):
            return taint
    return None


def tolerates(toleration: Json, taint: Json) -> bool:
    """Return whether a toleration covers a taint."""
    effect, key = toleration.get("effect"), toleration.get("key")
    if (effect and effect != taint.get("effect")) or (key and key != taint.get("key")):
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(key) and (toleration.get("value") or "") == (taint.get("value") or "")


def unselected(spec: Json, name: str, labels: Mapping[str, str]) -> str:
    """Return which demand of a pod a node does not meet (`nodeName`, node selector, affinity), empty where it meets all."""
    wanted = spec.get("nodeName")
    if wanted and wanted != name:
        return f"nodeName is {wanted}"
    for key, value in (spec.get("nodeSelector") or {}).items():
        if labels.get(key) != value:
            return f"node selector {key}={value} is not met ({_has(labels, key)})"
    required = value_at(spec, _REQUIRED)
    terms = (required or {}).get("nodeSelectorTerms") or ()
    if required is not None and not any(_meets(term, name, labels) for term in terms):
        keys = ", ".join(sorted(set(_keys(terms))))
        return f"required node affinity ({keys or 'no term'}) is not met"
    return ""


def _has(labels: Mapping[str, str], key: str) -> str:
    return f"it is {labels[key]}" if key in labels else "it has no such label"


def _keys(terms: Sequence[Json]) -> Iterator[str]:
    for term in terms:
        for field in ("matchExpressions", "matchFields"):
            for expression in term.get(field) or ():
                yield str(expression.get("key"))


def _meets(term: Json, name: str, labels: Mapping[str, str]) -> bool:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    return all(_holds(expression, labels) for expression in expressions) and all(
        _holds(expression, {"metadata.name": name}) for expression in fields
    )


def _holds(expression: Json, labels: Mapping[str, str]) -> bool:
    operator = expression.get("operator")
    if operator not in ("Gt", "Lt"):
        return selects({"matchExpressions": [expression]}, labels)
    try:
        there, bound = int(labels[expression["key"]]), int(expression["values"][0])
    except (KeyError, IndexError, ValueError):
        return False
    return there > bound if operator == "Gt" else there < bound
