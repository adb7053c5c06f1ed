# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which API group a managed route names the service's pool.

KServe makes the pool in both groups and begins with the old one. It turns to the new one, for good, when the gateway has
refused the old one or takes the new one. So the route depends on what is in the cluster.
Source: KServe pkg/controller/v1alpha2/llmisvc/router.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from ....kube.manifest import Json, value_at
from ....kube.release import Since
from ...kserve.releases import KServe
from .kinds import OLD_POOL_GROUP, POOL_GROUP

#: On a route that turned to the new group.
MIGRATED_ANNOTATION = "serving.kserve.io/inference-pool-migrated"
MIGRATED = "v1"

Verdict = Literal["taken", "refused", "unknown"]
#: Whether every gateway that a route names counts, else the first that has said anything.
_ALL_PARENTS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})


def is_migrated(live: Json | None, release: KServe) -> bool:
    """Return whether a live route has turned, or has reason to turn, to the new group."""
    if live is None:
        return False
    annotations = value_at(live, ("metadata", "annotations")) or {}
    if annotations.get(MIGRATED_ANNOTATION) == MIGRATED:
        return True
    said = {group: verdict(live, group, release) for group in (POOL_GROUP, OLD_POOL_GROUP)}
    return said[POOL_GROUP] == "taken" or said[OLD_POOL_GROUP] == "refused"


def verdict(live: Json, group: str, release: KServe) -> Verdict:
    """Return what the gateways say of the pools of a group, if the route names one. One that takes them is enough."""
    names_group = any(
        (backend.get("group"), backend.get("kind")) == (group, "InferencePool")
        for backend in _backends(live)
    )
    if not names_group:
        return "unknown"
    said = list(map(_said, _parents(live, release)))
    return "taken" if "taken" in said else "refused" if "refused" in said else "unknown"


def _parents(live: Json, release: KServe) -> Sequence[Json]:
    """Return what is said by the gateways that count: the first, or from some release on all that the route names."""
    parents: Sequence[Json] = value_at(live, ("status", "parents")) or ()
    if not _ALL_PARENTS.at(release):
        return parents[:1]
    namespace = live["metadata"].get("namespace") or ""
    named = value_at(live, ("spec", "parentRefs")) or ()
    wanted = {_identity(parent, namespace) for parent in named}
    return [
        one
        for one in parents
        if not named or _identity(one.get("parentRef") or {}, namespace) in wanted
    ]


def _identity(parent: Json, namespace: str) -> tuple[Any, ...]:
    fields = ("name", "sectionName", "port")
    return (parent.get("namespace", namespace), *(parent.get(field) for field in fields))


def _said(parent: Json) -> Verdict:
    for condition in parent.get("conditions") or ():
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
