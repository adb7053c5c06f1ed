# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of routes that get no request, since an earlier rule of the route takes them.

Source: Gateway API reference, HTTPRouteRule (of several rules with the same match the first one takes the request).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.route_view import Match, match_of
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from ..kube.reference import Reference

SHADOWED = Check(
    "route-shadowed",
    WARNING,
    finds="rules[{first}] takes the same requests ({match}), and comes first: this rule gets none of them",
    fix="write another match, or put the backends of both into one rule",
)


@check(SHADOWED, costly=True)
def route_shadowed(view: ServiceView) -> Iterator[Problem]:
    """Yield rules of a route of the author with a match of an earlier rule."""
    for manifest in view.made:
        if manifest.get("kind") != "HTTPRoute":
            continue
        seen: dict[Match, int] = {}
        for number, rule in enumerate((manifest.get("spec") or {}).get("rules") or ()):
            for place, each in enumerate(rule.get("matches") or [{}]):
                match = match_of(each)
                first = seen.setdefault(match, number)
                if first == number:
                    continue
                end = f".matches[{place}]" if rule.get("matches") else ""
                where = view.field_map.at(Reference.of(manifest), f"spec.rules[{number}]{end}")
                if where.is_authors and where.exact:
                    yield SHADOWED.at(where, first=first, match=match)
