# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting between the steps of an installation: what a step brought about has to work before the next one stands on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, KindMissing
from ...kube.crds import definition
from ...kube.fault import WorkloadFault
from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from ...kube.rollout import read_rollout
from ...kube.text import few
from .snapshot import listed

#: How often things are looked at, in seconds.
PAUSE_S = 1.0
SERVED_PAUSE_S = 0.2
#: How long a fault has to last before it is believed: one back-off of an image pull may pass.
FAULT_LASTS_S = 20.0
#: How many objects a message names.
_NAMED = 5
_INJECTED = (
    "cert-manager.io/inject-ca-from",
    "cert-manager.io/inject-ca-from-secret",
    "cert-manager.io/inject-apiserver-ca",
)
_CONDITION = {"Certificate": "Ready", "Issuer": "Ready", "ClusterIssuer": "Ready"}


class NotReady(ClusterError):
    """What was waited for did not come about."""


@dataclass(slots=True)
class _Watched:
    """What is still waited for and why, and since when each has had a fault, on the connection's clock."""

    pending: dict[Reference, str]
    since: dict[Reference, float] = field(default_factory=dict)


def wait_for_members(
    cluster: Cluster,
    known: Mapping[Reference, Json],
    selector: str,
    timeout: float,
    progress: Callable[[str], None],
    lack: Callable[[Json], str] | None = None,
) -> None:
    """Return once all of these objects work. known: as they were seen last. selector: on the set's label.
    lack: says why an object does not work, `lacks` where it is not given.

    Raises NotReady that names each object that does not work, with the reason.
    """
    timing = cluster.requests.timing
    end = timing.monotonic() + timeout
    judge = lack or lacks
    watched = _Watched({ref: why for ref, live in known.items() if (why := judge(live))})
    if watched.pending:
        progress(f"waiting for {few([str(ref) for ref in watched.pending], _NAMED, 'objects')}")
    while watched.pending:
        now = timing.monotonic()
        faults = _look_again(cluster, watched, selector, now, judge)
        if faults or (watched.pending and now >= end):
            texts = [f"{ref}: {why}" for ref, why in (faults or watched.pending).items()]
            how_long = "does not work" if faults else f"does not work after {timeout:.0f} s"
            raise NotReady(f"it {how_long}: " + "; ".join(texts))
        if watched.pending:
            cluster.requests.pause(PAUSE_S)


def wait_until_served(cluster: Cluster, crds: Iterable[Json], timeout: float) -> None:
    """Return once every kind of these CRDs can be asked for: a CRD may be established before all servers serve it."""
    timing = cluster.requests.timing
    end = timing.monotonic() + timeout
    kinds = [kind for kind in map(definition, crds) if kind is not None]
    left: Sequence[tuple[str, str]] = [
        (kind.api_version(version), kind.kind.kind) for kind in kinds for version in kind.versions
    ]
    while left := cluster.unserved(left):
        if timing.monotonic() >= end:
            raise KindMissing(*left[0], held=f"not after {timeout:.0f} s")
        cluster.requests.pause(SERVED_PAUSE_S)


def wait_for_endpoints(cluster: Cluster, services: Iterable[Reference], timeout: float) -> None:
    """Return once each of these Services has an endpoint that is ready: a workload may be available some seconds before.

    Raises NotReady.
    """
    timing = cluster.requests.timing
    end = timing.monotonic() + timeout
    for service in services:
        while not has_endpoint(cluster, service):
            if timing.monotonic() >= end:
                text = f"{service} has no ready endpoint after {timeout:.0f} s; do its selector and its port fit the workload?"
                raise NotReady(text)
            cluster.requests.pause(PAUSE_S)


def is_served(cluster: Cluster, service: Reference) -> bool:
    """Tell whether a Service is there and leads to something; one without a selector is taken to. Raises ClusterError."""
    live = cluster.get(service)
    if live is None:
        return False
    return not value_at(live, ("spec", "selector")) or has_endpoint(cluster, service)


def has_endpoint(cluster: Cluster, service: Reference) -> bool:
    """Tell whether a Service has a ready endpoint. Raises ClusterError."""
    slices = cluster.list(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        namespace=service.namespace,
        selector=f"kubernetes.io/service-name={service.name}",
    )
    return any(
        (endpoint.get("conditions") or {}).get("ready", True)
        for each in slices.items
        for endpoint in each.get("endpoints") or []
    )


def lacks(live: Json, pods: Sequence[Json] = ()) -> str:
    """Return why an object does not work yet, empty where it does or where its kind has no such state."""
    kind, metadata = live["kind"], live["metadata"]
    if metadata.get("deletionTimestamp"):
        return "it is being deleted"
    if kind == "CustomResourceDefinition":
        return _unestablished(live)
    if kind == "Namespace":
        phase = value_at(live, ("status", "phase"))
        return "it is terminating" if phase == "Terminating" else ""
    if kind in ("Deployment", "StatefulSet"):
        return _rolling(live, pods)
    if kind == "DaemonSet":
        return _daemons(live)
    if kind == "Job":
        return "" if _says(live, "Complete") else _said(live, "Failed") or "it is not complete"
    if kind in _CONDITION and live["apiVersion"].startswith("cert-manager.io/"):
        wanted = _CONDITION[kind]
        return "" if _says(live, wanted) else _said(live, wanted) or f"it is not {wanted} yet"
    if kind == "APIService":
        return "" if _says(live, "Available") else _said(live, "Available") or "not available yet"
    return without_authority(live) if "webhooks" in live else ""


def _look_again(
    cluster: Cluster,
    watched: _Watched,
    selector: str,
    now: float,
    judge: Callable[[Json], str],
) -> dict[Reference, str]:
    """Bring `pending` up to date, and return the faults that have lasted."""
    places: dict[tuple[str, str], set[str]] = {}
    for ref in watched.pending:
        places.setdefault((ref.api_version, ref.kind), set()).add(ref.namespace)
    calls = [partial(listed, cluster, kind, selector, names) for kind, names in places.items()]
    live: dict[Reference, Json] = {}
    for answer in cluster.parallel(calls):
        if isinstance(answer, Exception):
            raise answer
        live |= {Reference.of(item): item for item in answer}
    lasting = {}
    for reference in list(watched.pending):
        there = live.get(reference)
        why = judge(there) if there else "it is gone"
        if not why:
            del watched.pending[reference]
            continue
        watched.pending[reference] = why
        fault = _fault(cluster, there) if there else None
        if fault is None:
            watched.since.pop(reference, None)
        elif now - watched.since.setdefault(reference, now) >= FAULT_LASTS_S:
            lasting[reference] = fault.message
        else:
            watched.pending[reference] = fault.message
    return lasting


def _fault(cluster: Cluster, live: Json) -> WorkloadFault | None:
    """Return what keeps a workload from working and will not pass by itself."""
    if live["kind"] not in ("Deployment", "StatefulSet"):
        return None
    labels = value_at(live, ("spec", "selector", "matchLabels")) or {}
    selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    pods = cluster.list(
        "v1", "Pod", namespace=live["metadata"]["namespace"], selector=selector
    ).items
    return read_rollout(live, pods).fault


def _unestablished(crd: Json) -> str:
    for wanted in ("NamesAccepted", "Established"):
        if not _says(crd, wanted):
            return _said(crd, wanted) or f"it is not {wanted} yet"
    return ""


def without_authority(live: Json) -> str:
    """Return which webhooks wait for the certificate authority that somebody injects."""
    annotations = live["metadata"].get("annotations") or {}
    if not any(name in annotations for name in _INJECTED):
        return ""
    if live["kind"] == "CustomResourceDefinition":
        client = value_at(live, ("spec", "conversion", "webhook", "clientConfig"))
        entries = [("conversion", client)] if isinstance(client, dict) else []
    else:
        entries = [(each["name"], each["clientConfig"]) for each in live["webhooks"] or []]
    empty = [name for name, client in entries if not client.get("caBundle")]
    if not empty:
        return ""
    return (
        f"no caBundle was injected into {few(empty, _NAMED)}; does cert-manager's cainjector run?"
    )


def _rolling(live: Json, pods: Sequence[Json]) -> str:
    rollout = read_rollout(live, pods)
    if rollout.complete:
        return ""
    if not rollout.observed:
        return "its controller has not seen its present generation"
    return f"{rollout.ready} of {rollout.desired} pods are ready, {rollout.updated} of the present template"


def _daemons(live: Json) -> str:
    status: dict[str, Any] = live.get("status") or {}
    if (status.get("observedGeneration") or 0) < (live["metadata"].get("generation") or 0):
        return "its controller has not seen its present generation"
    wanted = status.get("desiredNumberScheduled") or 0
    ready, updated = status.get("numberReady") or 0, status.get("updatedNumberScheduled") or 0
    if ready >= wanted and updated >= wanted:
        return ""
    return f"{ready} of {wanted} pods are ready, {updated} of the present template"


def _condition(live: Json, kind: str) -> Json:
    for condition in value_at(live, ("status", "conditions")) or []:
        if condition.get("type") == kind:
            return dict(condition)
    return {}


def _says(live: Json, kind: str) -> bool:
    found = _condition(live, kind)
    generation = live["metadata"].get("generation") or 0
    seen = found.get("observedGeneration") or generation
    return found.get("status") == "True" and seen >= generation


def _said(live: Json, kind: str) -> str:
    found = _condition(live, kind)
    if not found or found.get("status") == "True":
        return ""
    return f"{kind} is {found.get('status')}: {found.get('message') or found.get('reason') or ''}"
