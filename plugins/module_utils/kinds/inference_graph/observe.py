# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an InferenceGraph, from its Deployment.

The conditions are the controller's: a graph is Ready once its Deployment says anything of being available. `ready` asks for more: all
pods have to be there, of the present template.
Source: KServe pkg/controller/v1alpha1/inferencegraph/{controller,raw_ig}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...kube import gvk
from ...kube.fault import WorkloadFault
from ...kube.fields import filled
from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.rollout import Rollout, read_rollout
from ..kind import Observation
from .resolved import Resolved

_READY, _STOPPED = "Ready", "Stopped"
#: The reason under which others tell what went wrong while objects were made; the controller of graphs tells nobody.
_FAILED = "ReconcileFailed"


def observe(resolved: Resolved, reader: Reader, pods: Sequence[Json] = ()) -> Observation:
    """Return the status that live objects give a graph.

    reader: sees its children, and its custom resource with the status until now. pods: any pods, the router's among them.
    """
    graph = resolved.graph
    before: Json = dict((reader.get(graph.reference) or {}).get("status") or {})
    live = reader.get(Reference(gvk.APPS, "Deployment", graph.namespace, graph.name))
    if graph.stopped:
        fault = WorkloadFault("Stopped", "the graph is stopped by its annotation")
        return Observation(status=_stopped(), ready=False, faults=(fault,))
    rollout = read_rollout(live, pods)
    status = _running(resolved, live) if _is_judged(live) else _kept(before)
    return Observation(
        status=status,
        ready=_is_judged(live) and rollout.complete,
        faults=tuple(_faults(rollout)),
        url=str(status.get("url") or ""),
    )


def reconcile_error(observation: Observation, message: str) -> Observation:
    """Return the observation of a graph of which a child could not be applied: the controller leaves its status as it is."""
    faults = (WorkloadFault(_FAILED, message), *observation.faults)
    return replace(observation, ready=False, faults=faults)


def _is_judged(live: Json | None) -> bool:
    """Tell whether a Deployment says that it is available, or that it is not; until then the status stays as it was."""
    said = value_at(live or {}, ("status", "conditions")) or ()
    return any(each.get("type") == "Available" for each in said)


def _running(resolved: Resolved, live: Json | None) -> Json:
    return filled(
        {
            "conditions": [
                {"type": _READY, "status": "True"},
                {"type": _STOPPED, "status": "False"},
            ],
            "observedGeneration": value_at(live or {}, ("status", "observedGeneration")),
            "url": resolved.url,
        }
    )


def _stopped() -> Json:
    return {
        "conditions": [
            {"type": _STOPPED, "status": "True"},
            {"type": _READY, "status": "False", "reason": "Stopped"},
        ]
    }


def _kept(before: Json) -> Json:
    """Return a status as it was, without the times of its conditions."""
    conditions = [
        {key: value for key, value in each.items() if key != "lastTransitionTime"}
        for each in before.get("conditions") or ()
    ]
    return {**before, "conditions": conditions} if conditions else before


def _faults(rollout: Rollout) -> Iterator[WorkloadFault]:
    if rollout.fault is not None:
        yield rollout.fault
