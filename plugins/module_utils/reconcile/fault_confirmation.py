# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at what a wait does not watch, before it gives a service up: one request for each pod, container or gateway in doubt."""

from __future__ import annotations

from collections.abc import Iterable

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, KindMissing
from ..kube.fault import WorkloadFault
from ..kube.reference import Reference
from .pod_rights import SilentContainer, refused
from .service_progress import NO_GATEWAY

#: What cluster-autoscaler and Karpenter say about a pod for which a node is on its way.
NODE_COMES = frozenset({"TriggeredScaleUp", "Nominated"})


class FaultConfirmation:
    """Looks once per object. Where looking is not possible, the wait continues: its time ends it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._seen: dict[Reference, bool] = {}
        self._read: dict[SilentContainer, WorkloadFault | None] = {}

    def confirmed(self, faults: Iterable[WorkloadFault]) -> WorkloadFault | None:
        """Return the first fault that waiting does not mend, in its final words."""
        return next(filter(None, map(self._confirmed, faults)), None)

    def _confirmed(self, fault: WorkloadFault) -> WorkloadFault | None:
        """No autoscaler works on the pod, the gateway is not there, the log tells of refusals. Other faults need no second look."""
        if isinstance(fault, SilentContainer):
            if fault not in self._read:
                self._read[fault] = refused(self._cluster, fault)
            return self._read[fault]
        if fault.subject is None or fault.reason not in ("Unschedulable", NO_GATEWAY):
            return fault
        if fault.subject not in self._seen:
            self._seen[fault.subject] = self._hopeless(fault.reason, fault.subject)
        return fault if self._seen[fault.subject] else None

    def _hopeless(self, reason: str, subject: Reference) -> bool:
        try:
            if reason == NO_GATEWAY:
                return self._cluster.get(subject, metadata_only=True) is None
            events = self._cluster.list(
                "v1",
                "Event",
                namespace=subject.namespace,
                fields=f"involvedObject.kind=Pod,involvedObject.name={subject.name}",
            )
        except KindMissing:
            return True
        except ClusterError:
            return False
        return not any(event.get("reason") in NODE_COMES for event in events.items)
