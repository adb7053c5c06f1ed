# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of a request through the objects of a service, from gateway to pods, with the state of each in one word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import gvk
from .condition import acceptance
from .manifest import Json
from .pod_health import pod_fault, workload_of
from .readiness import is_ready
from .reference import Reference
from .rollout import WORKLOADS, read_rollout

#: Where each kind is on the way; what is not named is beside it.
_LAYERS = {
    "Gateway": "gateway",
    "HTTPRoute": "route",
    "Ingress": "route",
    "VirtualService": "route",
    "InferencePool": "pool",
    "InferenceObjective": "pool",
    "InferenceModel": "pool",
    "Service": "pool",
    "Pod": "pod",
    **dict.fromkeys(WORKLOADS, "workload"),
}
OTHER = "other"
_PICKER = "picker"


@dataclass(frozen=True, slots=True)
class State:
    """How an object is: `ready`, `waiting`, `failed`, `missing`, `idle` (nothing is wanted), `there` (it has no state), `unknown`."""

    word: str
    message: str = ""


def way(
    children: Sequence[Reference],
    live: Mapping[Reference, Json],
    gateways: Mapping[Reference, State],
    pods: Sequence[Json],
    manager: str,
) -> list[Json]:
    """Return each object of a service with its layer and state, in the order of a request; what is beside them comes last.

    live: the children that are there. gateways: those that the routes name. pods: any, the service's among them.
    manager: whose last write of each object is reported.
    """
    own = [pod for pod in pods if workload_of(pod) in children]
    pickers = _pickers(children, live)
    rows = [_row(gateway, "gateway", found) for gateway, found in gateways.items()]
    for child in children:
        layer = _PICKER if child in pickers else _LAYERS.get(child.kind, OTHER)
        found = live.get(child)
        rows.append({**_row(child, layer, state(found, pods)), "written": _written(found, manager)})
    for pod in own:
        node = (pod.get("spec") or {}).get("nodeName") or ""
        owner = workload_of(pod)
        row = _row(Reference.of({**_POD, **pod}), "pod", pod_state(pod))
        rows.append({**row, "node": node, "of": owner.name if owner else ""})
    order = ["gateway", "route", "pool", _PICKER, "workload", "pod", OTHER]
    return sorted(rows, key=lambda row: (order.index(row["layer"]), row["kind"], row["name"]))


_POD: Json = {"apiVersion": "v1", "kind": "Pod"}


def _row(reference: Reference, layer: str, found: State) -> Json:
    return {
        "group": reference.group,
        "kind": reference.kind,
        "namespace": reference.namespace,
        "name": reference.name,
        "layer": layer,
        "state": found.word,
        "message": found.message,
        "node": "",
        "of": "",
        "written": "",
    }


def state(live: Json | None, pods: Sequence[Json] = ()) -> State:
    """Return how an object is. pods: any, those of the object among them; they know why it is not ready."""
    if live is None:
        return State("missing", "it does not exist")
    if live["metadata"].get("deletionTimestamp"):
        return State("waiting", "it is being deleted")
    if live["kind"] in WORKLOADS:
        return _workload(live, pods)
    if live["kind"] in ("HTTPRoute", "InferencePool"):
        return _accepted(live)
    return State("there")


def _workload(live: Json, pods: Sequence[Json]) -> State:
    rollout = read_rollout(live, pods)
    counted = f"{rollout.ready}/{rollout.desired} replicas ready"
    if rollout.fault is not None:
        return State("failed", rollout.fault.message)
    if rollout.desired == 0:
        return State("idle", "no replicas are wanted")
    return State("ready" if rollout.complete else "waiting", counted)


def _accepted(live: Json) -> State:
    said = acceptance(live, f"{live['kind']} {live['metadata']['name']}")
    if said.fault is not None:
        return State("failed", said.message)
    # Not every gateway reports on pools.
    silent = "unknown" if live["kind"] == "InferencePool" else "waiting"
    return State("ready" if said.status == "True" else silent, said.message)


def gateway_state(live: Json | None) -> State:
    """Return how a Gateway is."""
    if live is None:
        return State("missing", "it does not exist")
    if not live.get("status"):
        return State("waiting", "no gateway controller has reported on it")
    if is_ready(live):
        return State("ready", "it is programmed")
    for condition in live["status"].get("conditions") or ():
        if condition.get("status") == "False":
            return State("failed", f"{condition.get('reason')}: {condition.get('message', '')}")
    return State("waiting", "it is not programmed yet")


def pod_state(pod: Json) -> State:
    """Return how a pod is."""
    fault = pod_fault(pod)
    status = pod.get("status") or {}
    if fault is not None:
        return State("failed", fault.message)
    if pod["metadata"].get("deletionTimestamp"):
        return State("waiting", "it is ending")
    if status.get("phase") == "Failed":
        return State("failed", f"{status.get('reason', 'Failed')}: {status.get('message', '')}")
    ready = any(
        (each.get("type"), each.get("status")) == ("Ready", "True")
        for each in status.get("conditions") or ()
    )
    return State("ready") if ready else State("waiting", str(status.get("phase") or "Pending"))


def parents(routes: Iterable[Json]) -> list[Reference]:
    """Return the Gateways that routes name."""
    found = []
    for route in routes:
        if _LAYERS.get(route["kind"]) != "route":
            continue
        place = route["metadata"].get("namespace") or ""
        for parent in (route.get("spec") or {}).get("parentRefs") or ():
            if (parent.get("kind") or "Gateway") == "Gateway":
                group = parent.get("group") or gvk.GATEWAY_GROUP
                found.append(
                    Reference(
                        f"{group}/v1", "Gateway", parent.get("namespace") or place, parent["name"]
                    )
                )
    return list(dict.fromkeys(found))


def _pickers(children: Sequence[Reference], live: Mapping[Reference, Json]) -> set[Reference]:
    """Return the Services that pools name as their endpoint picker, and the workloads behind these."""
    there = [(child, live[child]) for child in children if child in live]
    names = {
        (pool.namespace, str((found.get("spec") or {}).get(field, {}).get("name")))
        for pool, found in there
        if pool.kind == "InferencePool"
        for field in ("endpointPickerRef", "extensionRef")
    }
    pickers = {
        child
        for child, dummy in there
        if child.kind == "Service" and (child.namespace, child.name) in names
    }
    selectors = [
        (service.namespace, (live[service].get("spec") or {}).get("selector") or {})
        for service in pickers
    ]
    for child, found in there:
        if child.kind in WORKLOADS and any(
            place == child.namespace and selector and selector.items() <= _pod_labels(found).items()
            for place, selector in selectors
        ):
            pickers.add(child)
    return pickers


def _pod_labels(workload: Json) -> Mapping[str, str]:
    template = (workload.get("spec") or {}).get("template") or {}
    return (template.get("metadata") or {}).get("labels") or {}


def _written(live: Json | None, manager: str) -> str:
    """Return when a manager last changed an object by an apply, empty where it never did."""
    return max(_times(live, manager), default="")


def _times(live: Json | None, manager: str) -> Iterator[str]:
    for entry in ((live or {}).get("metadata") or {}).get("managedFields") or ():
        if entry.get("manager") == manager and not entry.get("subresource"):
            yield str(entry.get("time") or "")
