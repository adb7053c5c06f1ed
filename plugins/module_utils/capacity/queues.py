# SPDX-License-Identifier: GPL-3.0-or-later
"""Kueue's queues, as they are read: each namespace once, before its pods are placed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..accelerators.cohorts import cohort_of
from ..accelerators.kueue import (
    API_VERSIONS,
    OLD_COHORTS,
    PRIORITY_LABEL,
    Queues,
    admission_checks,
    queue_of,
)
from ..kube.manifest import Json, value_at
from .source import Looking

_UNSEEN = "the queues of Kueue are not checked"
#: By namespace; None where they may not be listed.
AllQueues: TypeAlias = "Mapping[str, Queues | None]"


def read_queues(looking: Looking, workloads: Sequence[Json]) -> AllQueues:
    """Return the queues of the namespaces of workloads that name one."""
    queued = [each for each in workloads if queue_of(each)]
    ranked = any(value_at(each, ("metadata", "labels", PRIORITY_LABEL)) for each in queued)
    namespaces = sorted({each["metadata"].get("namespace") or "" for each in queued})
    return {each: _queues(looking, each, ranked=ranked) for each in namespaces}


def _queues(looking: Looking, namespace: str, *, ranked: bool) -> Queues | None:
    """Return the queues of a namespace with what they depend on, None where they may not be listed."""
    local: list[Json] = []
    version = ""
    for version in API_VERSIONS:
        local = list(looking.each(version, "LocalQueue", namespace, unseen=_UNSEEN))
        if local:
            break
    in_all = list(looking.each(version, "ClusterQueue", unseen=_UNSEEN)) if local else []
    if {("LocalQueue", namespace), ("ClusterQueue", "")} & looking.hidden:
        return None
    checked = any(True for each in in_all for dummy in admission_checks(each))
    return Queues(
        local,
        in_all,
        _listed(looking, version, "ResourceFlavor", "its flavors are not checked")
        if local
        else None,
        namespace,
        _labels_of(looking, namespace),
        checks=_listed(looking, version, "AdmissionCheck", "its admission checks are not checked")
        if checked
        else None,
        priorities=_listed(
            looking, version, "WorkloadPriorityClass", "its priority classes are not checked"
        )
        if ranked
        else None,
        cohorts=_cohorts(looking, version, in_all),
    )


def _cohorts(looking: Looking, version: str, in_all: Sequence[Json]) -> list[Json] | None:
    """Return the Cohorts, None where they are not known: a queue may name one that is nowhere, which then has no quota of its own."""
    if not any(cohort_of(each) for each in in_all):
        return []
    for each in (version, OLD_COHORTS):
        found = _listed(looking, each, "Cohort", "what they lend is not known")
        if found is None or found:
            return found
    return [] if looking.complete else None


def _listed(looking: Looking, version: str, kind: str, unseen: str) -> list[Json] | None:
    """Return the objects of a kind, None where they may not be listed."""
    found = list(looking.each(version, kind, unseen=unseen))
    return None if (kind, "") in looking.hidden else found


def _labels_of(looking: Looking, namespace: str) -> Mapping[str, str] | None:
    """Return the labels of a namespace, None where they are not known."""
    unseen = "whether a queue selects it is not known"
    found = looking.one("v1", "Namespace", namespace, unseen=unseen)
    return None if found is None else found["metadata"].get("labels") or {}
