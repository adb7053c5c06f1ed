# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of an HTTPRoute beside what its schema says: rules about its rules and parents.

Source: sigs.k8s.io/gateway-api v1.5.1, apis/v1/shared_types.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..manifest import Json
from ..problem import Problem
from ..schema_faults import show

_OF_PARENTS = ("group", "kind", "name")


def route_problems(route: Json) -> Iterator[Problem]:
    """Yield what is wrong with the rules and the parents of a route."""
    if route["spec"].get("rules") == []:
        yield Problem("spec.rules", "empty; leave it out, or give a rule", rule="route-rules")
    parents = route["spec"].get("parentRefs") or ()
    named = [
        (*(parent[field] for field in _OF_PARENTS), parent.get("namespace") or "")
        for parent in parents
    ]
    sections = Counter(
        (name, parent.get("sectionName") or "") for name, parent in zip(named, parents, strict=True)
    )
    without = {name for name, section in sections if not section}
    for number, (name, parent) in enumerate(zip(named, parents, strict=True)):
        section = parent.get("sectionName") or ""
        if sections[name, section] > 1 or (section and name in without):
            message = f"{show(parent['name'])} is named twice; tell its listeners apart by sectionName, in each of them"
            yield Problem(f"spec.parentRefs[{number}]", message, rule="gateway")
