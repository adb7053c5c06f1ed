# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an InferenceGraph, from its Deployment, or from its Service of Knative.

The conditions are the controller's: a graph is Ready once its Deployment says anything of being available, in Knative mode
when Knative says so. `ready` asks for more: all pods have to be there, of the present template.
Source: KServe pkg/controller/v1alpha1/inferencegraph/{controller,raw_ig}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...kube import gvk
from ...kube.fault import WorkloadFault
from ...kube.fields import filled
from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.rollout import Rollout, read_rollout
from ..kind import Observation
from ..kserve.knative.names import KNATIVE_API
from ..kserve.knative.service_status import is_current, refused
from ..kserve.modes import KNATIVE
from .resolved import Resolved

_READY, _STOPPED = "Ready", "Stopped"
#: Its conditions; the last two are Knative's.
CONDITION_TYPES = (_READY, _STOPPED, "ConfigurationsReady", "RoutesReady")
#: The reason under which others tell what went wrong while objects were made; the controller of graphs tells nobody.
_FAILED = "ReconcileFailed"


def observe(resolved: Resolved, reader: Reader, pods: Sequence[Json] = ()) -> Observation:
    """Return the status that live objects give a graph.

    reader: sees its children, and its custom resource with the status until now. pods: any pods, the router's among them.
    """
    graph = resolved.graph
    before: Json = dict((reader.get(graph.reference) or {}).get("status") or {})
    if graph.stopped:
        fault = WorkloadFault("Stopped", "the graph is stopped by its annotation")
        return Observation(status=_stopped(), ready=False, faults=(fault,))
    if resolved.mode == KNATIVE:
        service = Reference(KNATIVE_API, "Service", graph.namespace, graph.name)
        return _by_knative(before, reader.get(service))
    live = reader.get(Reference(gvk.APPS, "Deployment", graph.namespace, graph.name))
    rollout = read_rollout(live, pods)
    status = _running(resolved, live) if _is_judged(live) else _kept(before)
    return Observation(
        status=status,
        ready=_is_judged(live) and rollout.complete,
        faults=tuple(_faults(rollout)),
        url=str(status.get("url") or ""),
    )


def _by_knative(before: Json, live: Json | None) -> Observation:
    """Return what Knative says of the router: its conditions, and where it is reached once it is ready."""
    said: Json = (live or {}).get("status") or {}
    conditions = said.get("conditions") or ()
    ready = next((each["status"] for each in conditions if each["type"] == _READY), None)
    url = before.get("url") if ready is None else said.get("url") if ready == "True" else None
    told = [*conditions, {"type": _STOPPED, "status": "False"}]
    kept = {key: value for key, value in before.items() if key not in ("conditions", "url")}
    status = filled({**kept, "conditions": _untimed(told), "url": url})
    return Observation(
        status=status,
        ready=ready == "True" and is_current(live),
        faults=tuple(refused(live or {})),
        url=str(url or ""),
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
    conditions = _untimed(before.get("conditions") or ())
    return {**before, "conditions": conditions} if conditions else before


def _untimed(conditions: Iterable[Json]) -> list[Json]:
    """Return conditions without their times, and without what says nothing."""
    return [
        filled({key: value for key, value in each.items() if key != "lastTransitionTime"})
        for each in conditions
    ]


def _faults(rollout: Rollout) -> Iterator[WorkloadFault]:
    if rollout.fault is not None:
        yield rollout.fault
