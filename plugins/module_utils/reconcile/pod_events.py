# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Kubernetes says of pods that did not get ready: a probe that fails, a volume that cannot be mounted, a node that went away.

Each is in events alone, which are not watched, and none is final by itself. They are looked up once, when a wait is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..kube.manifest import Json
from ..kube.reference import Reference

#: Pods of one service that are looked up; those of one workload mostly have the same trouble.
_LOOKED_UP = 3
_WARNING = "Warning"
#: Says no more than the state of the container.
_KNOWN = "BackOff"


def last_words(cluster: Cluster, pods: Sequence[Reference]) -> list[str]:
    """Return the newest warning about each pod, each text once; nothing where events may not be read."""
    found: dict[str, str] = {}
    for pod in pods[:_LOOKED_UP]:
        for event in _newest(cluster, pod):
            text = f"{event.get('reason')}: {event.get('message')}"
            found.setdefault(text, f"pod {pod.name}: {text}")
    return list(found.values())


def _newest(cluster: Cluster, pod: Reference) -> Iterator[Json]:
    try:
        listing = cluster.list(
            "v1",
            "Event",
            namespace=pod.namespace,
            fields=f"involvedObject.kind=Pod,involvedObject.name={pod.name}",
        )
    except ClusterError:
        return
    warnings = [
        each
        for each in listing.items
        if each.get("type") == _WARNING and each.get("reason") != _KNOWN
    ]
    if warnings:
        yield max(warnings, key=_seen)


def _seen(event: Json) -> str:
    """Return when an event was seen last: counted events, series and single ones write it into fields of their own."""
    series = event.get("series") or {}
    times = (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime"))
    return str(next(filter(None, times), ""))
