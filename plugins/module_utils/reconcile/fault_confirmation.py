# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at what a wait does not watch, before it gives a service up: one request for each pod or gateway in doubt."""

from __future__ import annotations

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, KindMissing
from ..kube.fault import WorkloadFault
from ..kube.reference import Reference
from .service_progress import NO_GATEWAY

#: What cluster-autoscaler and Karpenter say about a pod for which a node is on its way.
NODE_COMES = frozenset({"TriggeredScaleUp", "Nominated"})


class FaultConfirmation:
    """Looks once per object. Where looking is not possible, the wait goes on: its time ends it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._seen: dict[Reference, bool] = {}

    def confirms(self, fault: WorkloadFault) -> bool:
        """Tell whether waiting does not help: no autoscaler works on the pod, the gateway is not there. True for other faults."""
        if fault.subject is None or fault.reason not in ("Unschedulable", NO_GATEWAY):
            return True
        if fault.subject not in self._seen:
            self._seen[fault.subject] = self._hopeless(fault.reason, fault.subject)
        return self._seen[fault.subject]

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
