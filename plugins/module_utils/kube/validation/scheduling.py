# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses about where pods may run: tolerations, affinity, spreading.

Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..manifest import Json
from ..names import check_dns_subdomain, check_label_key, check_label_value
from ..problem import Problem
from ..schema_faults import show
from .metadata import label_problems, selector_problems, values_problems

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
#: The one field of a node that a term compares.
_NODE_FIELD = "metadata.name"


def scheduling_problems(pod: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong about where a pod may run."""
    yield from label_problems(pod.get("nodeSelector") or {}, f"{path}.nodeSelector")
    yield from toleration_problems(pod.get("tolerations") or (), f"{path}.tolerations")
    affinity = pod.get("affinity") or {}
    yield from _node_affinity(affinity.get("nodeAffinity") or {}, f"{path}.affinity.nodeAffinity")
    for side in ("podAffinity", "podAntiAffinity"):
        yield from _pod_affinity(affinity.get(side) or {}, f"{path}.affinity.{side}")
    for number, constraint in enumerate(pod.get("topologySpreadConstraints") or ()):
        yield from _spread(constraint, f"{path}.topologySpreadConstraints[{number}]")


def toleration_problems(tolerations: Sequence[Json], path: str) -> Iterator[Problem]:
    """Yield what is wrong with tolerations."""
    for number, toleration in enumerate(tolerations):
        for field, message in _toleration_faults(toleration):
            yield Problem(f"{path}[{number}].{field}", message, rule="toleration")


def _toleration_faults(toleration: Json) -> Iterator[tuple[str, str]]:
    key, value = toleration.get("key", ""), toleration.get("value", "")
    operator, effect = toleration.get("operator", ""), toleration.get("effect", "")
    fault = check_label_key(key) if key else None
    if fault:
        yield "key", fault
    if not key and operator != "Exists":
        yield "operator", f"{show(operator)} needs a key; without a key only Exists is allowed"
    if operator in ("", "Equal"):
        fault = check_label_value(value)
        if fault:
            yield "value", fault
    elif operator == "Exists":
        if value:
            yield (
                "value",
                f"{show(value)} has no meaning with the operator Exists; leave it out or use Equal",
            )
    else:
        yield "operator", f"{show(operator)} is not one of Equal, Exists"
    if effect and effect not in _EFFECTS:
        yield "effect", f"{show(effect)} is not one of {', '.join(_EFFECTS)}"
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        yield "tolerationSeconds", f"only the effect NoExecute takes seconds, not {show(effect)}"


def _node_affinity(affinity: Json, path: str) -> Iterator[Problem]:
    required = affinity.get(_REQUIRED) or {}
    for number, term in enumerate(required.get("nodeSelectorTerms") or ()):
        yield from _node_term(term, f"{path}.{_REQUIRED}.nodeSelectorTerms[{number}]", strict=True)
    for number, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        where = f"{path}.{_PREFERRED}[{number}].preference"
        yield from _node_term(preferred["preference"], where, strict=False)


def _node_term(term: Json, path: str, *, strict: bool) -> Iterator[Problem]:
    """Yield what is wrong with a term. strict: its values have to be those of labels."""
    for number, expression in enumerate(term.get("matchExpressions") or ()):
        where = f"{path}.matchExpressions[{number}]"
        yield from values_problems(expression, where)
        fault = check_label_key(expression["key"])
        if fault:
            yield Problem(f"{where}.key", fault, rule="selector")
        for position, value in enumerate(expression.get("values") or () if strict else ()):
            fault = check_label_value(value)
            if fault:
                yield Problem(f"{where}.values[{position}]", fault, rule="selector")
    for number, expression in enumerate(term.get("matchFields") or ()):
        yield from _node_field(expression, f"{path}.matchFields[{number}]")


def _node_field(expression: Json, path: str) -> Iterator[Problem]:
    values = expression.get("values") or ()
    if expression["operator"] not in ("In", "NotIn"):
        message = f"{show(expression['operator'])} is not one of In, NotIn"
        yield Problem(f"{path}.operator", message, rule="selector")
    elif len(values) != 1:
        yield Problem(f"{path}.values", "a field needs exactly one value", rule="selector")
    if expression["key"] != _NODE_FIELD:
        message = f"{show(expression['key'])} is not {_NODE_FIELD}, the one field of nodes that is compared"
        yield Problem(f"{path}.key", message, rule="selector")
        return
    for number, value in enumerate(values):
        fault = check_dns_subdomain(value)
        if fault:
            yield Problem(f"{path}.values[{number}]", fault, rule="selector")


def _pod_affinity(affinity: Json, path: str) -> Iterator[Problem]:
    for number, term in enumerate(affinity.get(_REQUIRED) or ()):
        yield from _pod_term(term, f"{path}.{_REQUIRED}[{number}]")
    for number, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        yield from _pod_term(
            preferred["podAffinityTerm"], f"{path}.{_PREFERRED}[{number}].podAffinityTerm"
        )


def _pod_term(term: Json, path: str) -> Iterator[Problem]:
    yield from selector_problems(term.get("labelSelector"), f"{path}.labelSelector")
    yield from selector_problems(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    yield from _label_keys(term, path)


def _label_keys(term: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with keys whose values are taken from the pod's own labels."""
    selector = term.get("labelSelector")
    matched = term.get("matchLabelKeys") or ()
    for field in ("matchLabelKeys", "mismatchLabelKeys"):
        if term.get(field) and selector is None:
            yield Problem(f"{path}.{field}", "needs a labelSelector beside it", rule="selector")
    for number, key in enumerate(matched):
        where = f"{path}.matchLabelKeys[{number}]"
        if key in (term.get("mismatchLabelKeys") or ()):
            yield Problem(where, f"{show(key)} is in mismatchLabelKeys, too", rule="selector")
        if selector is not None and _twice_in(selector, key):
            yield Problem(where, f"{show(key)} is in labelSelector, too", rule="selector")


def _twice_in(selector: Json, key: str) -> bool:
    """Tell whether an expression compares a label that something before it compares already."""
    labels = selector.get("matchLabels") or {}
    keys = [expression["key"] for expression in selector.get("matchExpressions") or ()]
    return keys.count(key) > 1 or (key in keys and key in labels)


def _spread(constraint: Json, path: str) -> Iterator[Problem]:
    yield from selector_problems(constraint.get("labelSelector"), f"{path}.labelSelector")
    yield from _label_keys(constraint, path)
    if "minDomains" in constraint and constraint["whenUnsatisfiable"] != "DoNotSchedule":
        message = (
            f"has an effect only with DoNotSchedule, not with {constraint['whenUnsatisfiable']}"
        )
        yield Problem(f"{path}.minDomains", message, rule="spread")
