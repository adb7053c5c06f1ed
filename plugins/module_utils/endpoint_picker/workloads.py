# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods that a picker chooses among, as they stand in workloads that somebody gives."""

from __future__ import annotations

from ..kube.manifest import Json


def pod_of(workload: Json) -> Json:
    """Return metadata and spec of a workload's pods, or the pod itself: of a LeaderWorkerSet its leaders, which answer requests."""
    spec = as_map(workload.get("spec"))
    group = as_map(spec.get("leaderWorkerTemplate"))
    template = spec.get("template") or group.get("leaderTemplate") or group.get("workerTemplate")
    return as_map(template) if template else workload


def as_map(value: object) -> Json:
    """Return a map, empty for what is none."""
    return value if isinstance(value, dict) else {}
