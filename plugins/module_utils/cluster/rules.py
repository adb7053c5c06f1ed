# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user may do in a namespace, as the API server's rules review tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one user in one namespace. complete: what no rule allows is forbidden; else it has to be asked for."""

    rules: Sequence[Mapping[str, Any]]
    complete: bool

    @classmethod
    def of(cls, review: Mapping[str, Any]) -> Rules:
        """Return the rules of an answered SelfSubjectRulesReview."""
        status = review.get("status") or {}
        return cls(tuple(status.get("resourceRules") or ()), not status.get("incomplete"))

    def allow(self, verb: str, group: str, resource: str, name: str) -> bool:
        """Tell whether a rule allows it. resource: the plural, with `/status` or another subresource."""
        return any(
            _holds(rule.get("verbs"), verb)
            and _holds(rule.get("apiGroups"), group)
            and _holds(rule.get("resources"), *_patterns(resource))
            and (not rule.get("resourceNames") or name in rule["resourceNames"])
            for rule in self.rules
        )


def _holds(listed: Any, *wanted: str) -> bool:
    return any(each in (listed or ()) for each in ("*", *wanted))


def _patterns(resource: str) -> tuple[str, ...]:
    """Return what names a resource in a rule: `modelservices/status` also as `*/status`."""
    _plural, slash, subresource = resource.partition("/")
    return (resource, f"*/{subresource}") if slash else (resource,)
