# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of an HTTPRoute beside what its schema says: rules about its rules and parents.

Source: sigs.k8s.io/gateway-api v1.5.1, apis/v1/shared_types.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .. import gvk
from ..manifest import Json
from ..problem import Problem
from ..schema_faults import show


def route_problems(route: Json) -> Iterator[Problem]:
    """Yield what is wrong with the rules and the parents of a route."""
    if route["spec"].get("rules") == []:
        yield Problem("spec.rules", "empty; leave it out, or give a rule", rule="route-rules")
    for number in named_twice(route["spec"].get("parentRefs") or ()):
        name = show(route["spec"]["parentRefs"][number]["name"])
        message = f"{name} is named twice; tell its listeners apart by sectionName, in each of them"
        yield Problem(f"spec.parentRefs[{number}]", message, rule="gateway")


def named_twice(parents: Sequence[Json]) -> list[int]:
    """Return the places of parents that occur in the list more than once, unless each time with another sectionName."""
    named = [
        (
            parent.get("group", gvk.GATEWAY_GROUP),
            parent.get("kind", "Gateway"),
            parent.get("namespace") or "",
            parent.get("name") or "",
        )
        for parent in parents
    ]
    sections = [parent.get("sectionName") or "" for parent in parents]
    listeners = list(zip(named, sections, strict=True))
    counts = Counter(listeners)
    whole = {name for name, section in listeners if not section}
    return [
        number
        for number, (name, section) in enumerate(listeners)
        if counts[name, section] > 1 or (section and name in whole)
    ]
