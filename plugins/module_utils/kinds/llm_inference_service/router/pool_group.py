# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which API group a managed route names the service's pool.

KServe makes the pool in both groups and begins with the old one. It turns to the new one, for good, when the gateway has
refused the old one or takes the new one. So the route depends on what is in the cluster.
Source: KServe pkg/controller/v1alpha2/llmisvc/router.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ....kube.manifest import Json, value_at
from .kinds import OLD_POOL_GROUP, POOL_GROUP

#: On a route that turned to the new group.
MIGRATED_ANNOTATION = "serving.kserve.io/inference-pool-migrated"
MIGRATED = "v1"

Verdict = Literal["taken", "refused", "unknown"]


def is_migrated(live: Json | None) -> bool:
    """Return whether a live route has turned, or has reason to turn, to the new group."""
    if live is None:
        return False
    annotations = value_at(live, ("metadata", "annotations")) or {}
    if annotations.get(MIGRATED_ANNOTATION) == MIGRATED:
        return True
    return verdict(live, POOL_GROUP) == "taken" or verdict(live, OLD_POOL_GROUP) == "refused"


def verdict(live: Json, group: str) -> Verdict:
    """Return what the gateway says of the pools of a group, if the route names one. Only its first parent counts."""
    names_group = any(
        (backend.get("group"), backend.get("kind")) == (group, "InferencePool")
        for backend in _backends(live)
    )
    parents = value_at(live, ("status", "parents")) or ()
    if not names_group or not parents:
        return "unknown"
    for condition in parents[0].get("conditions") or ():
        if condition.get("type") == "ResolvedRefs":
            wrong_kind = (condition.get("status"), condition.get("reason")) == (
                "False",
                "InvalidKind",
            )
            return "refused" if wrong_kind else "taken"
    return "unknown"


def with_pool_group(rules: list[Json], pool: str, group: str) -> list[Json]:
    """Return the rules of a route in which every backend that is the service's pool has the group."""
    return [
        {**rule, "backendRefs": [_grouped(backend, pool, group) for backend in rule["backendRefs"]]}
        if rule.get("backendRefs")
        else rule
        for rule in rules
    ]


def _grouped(backend: Json, pool: str, group: str) -> Json:
    mine = backend.get("kind") == "InferencePool" and backend.get("name") == pool
    return {**backend, "group": group} if mine else backend


def _backends(route: Json) -> Iterator[Json]:
    for rule in value_at(route, ("spec", "rules")) or ():
        yield from rule.get("backendRefs") or ()
