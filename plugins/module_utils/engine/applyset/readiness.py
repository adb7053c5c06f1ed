# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object of a set lacks before others may depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...cluster.connection import Cluster
from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from ...kube.rollout import read_rollout
from ...kube.text import few

#: The kind that says where a Service leads to, and the label by which they are found.
SLICES = ("discovery.k8s.io/v1", "EndpointSlice")
SLICE_LABEL = "kubernetes.io/service-name"
#: How many objects a message names.
_NAMED = 5
_INJECTED = (
    "cert-manager.io/inject-ca-from",
    "cert-manager.io/inject-ca-from-secret",
    "cert-manager.io/inject-apiserver-ca",
)
_CONDITION = {"Certificate": "Ready", "Issuer": "Ready", "ClusterIssuer": "Ready"}


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
    return f"{ready} of {wanted} pods are ready, {updated} of the current template"


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


def is_served(cluster: Cluster, service: Reference) -> bool:
    """Tell whether a Service is there and leads to something; one without a selector is taken to. Raises ClusterError."""
    live = cluster.get(service)
    if live is None:
        return False
    if not value_at(live, ("spec", "selector")):
        return True
    selector = f"{SLICE_LABEL}={service.name}"
    return has_endpoint(cluster.list(*SLICES, namespace=service.namespace, selector=selector).items)


def has_endpoint(slices: Iterable[Json]) -> bool:
    """Tell whether one of a Service's slices has a ready endpoint."""
    return any(
        (endpoint.get("conditions") or {}).get("ready", True)
        for each in slices
        for endpoint in each.get("endpoints") or []
    )
