# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of services: read from their live children and pods, written to their custom resources."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, Conflict, NotFound
from ..engine import FIELD_MANAGER
from ..fleet.cluster_reader import Surroundings
from ..kinds.kind import Observation
from ..kinds.request import HOW_TO_LOOK, Request, request_of
from ..kube import managed_fields
from ..kube.canonical import canonical_json
from ..kube.fault import WorkloadFault
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.pod_health import UNREAD, newest, pod_fault
from ..kube.reader import GivenObjects, Lookup, NotLookedAt, Reader
from ..kube.reference import Reference
from ..kube.rollout import WORKLOADS, pod_selector, read_rollout
from .compiled_service import CompiledService
from .controller_mode import CONTROLLER

#: Pods by their namespace.
Pods = Mapping[str, Sequence[Json]]

POD = ("v1", "Pod")
#: How often a status is written again because something else of the custom resource changed in between.
STATUS_TRIES = 5
STATUS_MANAGER = f"{FIELD_MANAGER}.status"
#: What keeps a service whose conditions are all true.
NOT_YET = "its conditions are true, but not all of its pods are ready and of the present spec yet"


def observe(
    target: CompiledService,
    objects: Lookup,
    pods: Sequence[Json] = UNREAD,
    others: Reader | None = None,
) -> Observation:
    """Return the state of a service.

    objects: its own among them. pods: of its namespace, for the reasons of failures and for what a status says of them.
    others: where gateways and other objects are read that are not the service's own; nothing is known of them where it is left out.
    """
    if target.reconciler == CONTROLLER:
        says_ready = target.service.kind.says_ready
        reported = _reported(objects.get(target.reference), says_ready or _is_ready)
        faults = () if reported.ready else tuple(_pod_faults(target, pods))
        observation = replace(reported, faults=faults)
    else:
        kind = target.service.kind
        seen = Surroundings(objects, others or GivenObjects(), kind)
        observation = kind.observe(target.basis, seen, pods)
        observation = replace(observation, looked_at=tuple(seen.looked_at))
    return replace(observation, replicas=_replicas(target, objects, observation.status))


def request_for(target: CompiledService, objects: Lookup, others: Reader, url: str) -> Request:
    """Return how a service is called. objects, others: as in `observe`. url: what its status says. What cannot be read is said in the note."""
    service = target.service
    seen = Surroundings(objects, others, service.kind)
    try:
        entrance = service.kind.entrance(target.basis, service.settings, seen)
        return request_of(entrance, target.reference, seen, url)
    except ClusterError as error:
        return Request(note=f"what leads to it could not be read: {error}")
    except NotLookedAt as error:
        return Request(note=f"nothing changed, so {error} was not looked at: {HOW_TO_LOOK}")


def _replicas(target: CompiledService, objects: Lookup, status: Json) -> tuple[int, int] | None:
    """Return ready and desired replicas: of the live workloads, else as a controller counts them in its status."""
    workloads = [
        read_rollout(objects.get(child.reference), ())
        for child in target.children
        if child.reference.kind in WORKLOADS
    ]
    if target.reconciler != CONTROLLER or any(each.found for each in workloads):
        return sum(each.ready for each in workloads), sum(each.desired for each in workloads)
    desired = {
        name.removesuffix("Replicas"): n for name, n in status.items() if name.endswith("Replicas")
    }
    if not desired:
        return None
    return sum(status.get(f"{role}Ready", 0) for role in desired), sum(desired.values())


def _pod_faults(target: CompiledService, pods: Sequence[Json]) -> Iterator[WorkloadFault]:
    """Yield what pods say that a controller made: most controllers do not pass it on."""
    for child in target.children:
        if child.reference.kind in WORKLOADS:
            selector = pod_selector(child.manifest(""))
            faults = (pod_fault(pod) for pod in newest(pods, selector))
            fault = next(filter(None, faults), None)
            if fault is not None:
                subject = f"{child.reference.kind} {child.reference.name}"
                yield replace(fault, message=f"{subject}, {fault.message}")


def _is_ready(status: Json) -> bool:
    return (condition(status, "Ready") or {}).get("status") == "True"


def _reported(live: Json | None, says_ready: Callable[[Json], bool]) -> Observation:
    """Return what a controller says of its custom resource; it counts only for the generation that it has seen."""
    status: Json = dict((live or {}).get("status") or {})
    ready = condition(status, "Ready")
    generation = ((live or {}).get("metadata") or {}).get("generation")
    seen = status.get("observedGeneration", (ready or {}).get("observedGeneration"))
    current = seen is None or generation is None or seen >= generation
    return Observation(
        status=status,
        ready=current and says_ready(status),
        url=str(status.get("url") or ""),
    )


def condition(status: Json, kind: str) -> Json | None:
    """Return the condition of a type, None where the status has none."""
    return next((item for item in status.get("conditions") or [] if item.get("type") == kind), None)


def write_status(cluster: Cluster, parent: Json, observation: Observation, now: str) -> None:
    """Write the status of a service that this run reconciles, and of what it answers for, where it is another than before.

    It is written after the Lease was given back, so only for the very objects that were observed: where another run has changed
    one meanwhile, that run writes its status. now: the time for conditions whose status changes, RFC 3339 in UTC.
    """
    if parent.get("kind") == "ConfigMap":
        _write_record(cluster, parent, observation)
    else:
        _write_status(cluster, parent, observation.status, now)
    for other in observation.answered:
        _write_status(cluster, other.live, other.status, now)


def _write_status(cluster: Cluster, observed: Json, wanted: Json, now: str) -> None:
    reference = Reference.of(observed)
    seen: Json | None = observed
    for _attempt in range(STATUS_TRIES):
        if seen is None or not _same_object(seen, observed):
            return
        before = (_status_of_ours(seen) or {}).get("status") or {}
        status = dict(wanted)
        if "conditions" in status or "conditions" in before:
            status["conditions"] = _dated(wanted, before, now)
        if status == before:
            return
        manifest = {**reference.to_manifest(), "status": status}
        manifest["metadata"]["resourceVersion"] = seen["metadata"]["resourceVersion"]
        try:
            cluster.apply(manifest, manager=FIELD_MANAGER, force=True, subresource="status")
        except (Conflict, NotFound):
            # Somebody may have deleted the service during a wait; a status alone does not bring it back.
            seen = cluster.get(reference)
        else:
            return
    raise ClusterError(
        f"{reference}: it kept changing during {STATUS_TRIES} attempts to write its status"
    )


def _same_object(now: Json, before: Json) -> bool:
    """Tell whether a custom resource wants what it wanted before."""
    return all(
        now["metadata"].get(name) == before["metadata"].get(name) for name in ("uid", "generation")
    )


def _status_of_ours(parent: Json) -> Json | None:
    """Return the part of a live status that we wrote: fields that somebody else adds do not make us write again."""
    entry = managed_fields.apply_entry(parent, FIELD_MANAGER, "status")
    return managed_fields.project(parent, entry.get("fieldsV1") or {}) if entry else None


def _dated(status: Json, before: Json, now: str) -> list[Json]:
    dated = []
    for item in status.get("conditions") or []:
        last = condition(before, item["type"]) or {}
        same = last.get("status") == item["status"]
        dated.append(
            {**item, "lastTransitionTime": last["lastTransitionTime"] if same and last else now}
        )
    return dated


def _write_record(cluster: Cluster, parent: Json, observation: Observation) -> None:
    text = canonical_json(observation.status).decode()
    if (parent.get("data") or {}).get("status") == text:
        return
    manifest = {**Reference.of(parent).to_manifest(), "data": {"status": text}}
    cluster.apply(manifest, manager=STATUS_MANAGER, force=True)


def recorded_service(record: Json) -> Json:
    """Return the custom resource that a record holds."""
    document: Json = json.loads(record["data"]["service"])
    return document


def summary(observation: Observation) -> str:
    """Return one line about a service: its roles with ready and desired pods, and what it still lacks."""
    status = observation.status
    roles = [
        f"{role} {status.get(f'{role}Ready', 0)}/{status.get(f'{role}Replicas', 0)}"
        for role in ("decode", "prefill")
        if f"{role}Replicas" in status
    ]
    if observation.ready:
        return ", ".join([*roles, "ready"])
    return ", ".join([*roles, *lacking(observation)[:2]]) or "no status yet"


def lacking(observation: Observation) -> list[str]:
    """Return why a service is not ready, the first reason first: `<condition>: <reason>: <message>`."""
    conditions = observation.status.get("conditions") or []
    if not conditions:
        # Caches of models have none; their status tells how far each node is.
        nodes = observation.status.get("nodeStatus") or {}
        return [f"node {node}: {how}" for node, how in nodes.items()]
    wanting = [item for item in conditions if item.get("status") != "True"]
    if conditions and not wanting and not observation.ready:
        return [NOT_YET]
    wanting.sort(key=lambda item: item["type"] != "Ready")
    # Ready and a role's own condition often say the same; once is enough.
    first = {(item.get("reason"), item.get("message")): item for item in reversed(wanting)}
    return [
        ": ".join(filter(None, (item["type"], item.get("reason"), item.get("message"))))
        for item in wanting
        if first[item.get("reason"), item.get("message")] is item
    ]


def read_pods(cluster: Cluster, targets: Sequence[CompiledService]) -> Pods:
    """Return the pods of services that are not ready, for the reasons of their failures; none where that is not allowed."""
    pods: dict[str, list[Json]] = {}
    places = {
        (target.reference.namespace, selector_text(target.service.kind.pod_labels))
        for target in targets
    }
    for namespace, selector in sorted(places):
        try:
            listing = cluster.list(*POD, namespace=namespace, selector=selector)
        except ClusterError:
            continue
        pods.setdefault(namespace, []).extend(listing.items)
    return pods
