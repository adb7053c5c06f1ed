# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops and starts the controller of a kind: what taking a service over from it begins with, and giving it back ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import KindMissing
from ..engine.controller import (
    REPLICAS_ANNOTATION,
    Controller,
    find,
    start,
    stop,
    wait_until_started,
    wait_until_stopped,
)
from ..kinds.kind import ServiceKind
from ..kinds.registry import REGISTERED
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.problem import InputError
from ..task import arguments
from ..task.result import Clock, stats

EMPTY: Mapping[str, Any] = {"changed": False, "controllers": [], "services": [], "stats": {}}
ARGUMENT_SPEC: arguments.Spec = {
    **arguments.AUTH,
    **arguments.REQUESTS,
    "kind": {
        "type": "str",
        "choices": sorted(REGISTERED),
        "default": "ModelService",
    },
    "state": {"type": "str", "choices": ["gathered", "started", "stopped"], "default": "gathered"},
    "wait_timeout": {"type": "float", "default": 120.0},
}


def run(
    params: Mapping[str, Any],
    *,
    check_mode: bool,
    diff: bool,  # noqa: ARG001  # the result tells the replicas before and after
    environment: Mapping[str, str],
    progress: Callable[[str], None],  # noqa: ARG001
) -> Json:
    """Return the controllers of a kind and the services that they reconcile. Raises InputError and ClusterError."""
    clock = Clock()
    dummy, load = REGISTERED[params["kind"]]
    kind = load()
    state, patience = params["state"], params["wait_timeout"]
    with arguments.connection(params, environment) as cluster:
        before = find(cluster, kind.controller)
        after = before
        done = True
        if state == "stopped":
            after = [
                stop(cluster, each, dry_run=check_mode) if each.replicas else each
                for each in before
            ]
            done = check_mode or wait_until_stopped(cluster, after, patience, clock.monotonic)
        elif state == "started":
            _check_known(kind, before)
            after = [
                each if each.replicas else start(cluster, each, dry_run=check_mode)
                for each in before
            ]
            done = check_mode or wait_until_started(cluster, after, patience, clock.monotonic)
        return {
            **EMPTY,
            "changed": any(
                was.replicas != now.replicas for was, now in zip(before, after, strict=True)
            ),
            "controllers": [_told(was, now) for was, now in zip(before, after, strict=True)],
            "services": _reconciled(cluster, kind),
            "stats": stats(cluster.stats, clock),
            **({} if done else _late(kind, after, state, patience)),
        }


def _check_known(kind: ServiceKind[Any, Any], found: Sequence[Controller]) -> None:
    """Refuse to start what is not there, or what somebody else scaled to nothing: how many replicas it is to have is not known."""
    labels = selector_text(kind.controller)
    if not found:
        raise InputError.single(
            "state", "", f"started, but no Deployment with the labels {labels} is in the cluster"
        )
    for each in found:
        if not each.replicas and not each.remembered:
            raise InputError.single(
                "state",
                "",
                f"started, but {each.reference} has 0 replicas and was not stopped here (no annotation {REPLICAS_ANNOTATION}); "
                "scale it yourself",
            )


def _told(was: Controller, now: Controller) -> Json:
    return {
        "namespace": now.reference.namespace,
        "name": now.reference.name,
        "images": now.images,
        "replicas_before": was.replicas,
        "replicas": now.replicas,
    }


def _reconciled(cluster: Cluster, kind: ServiceKind[Any, Any]) -> list[Json]:
    """Return the services that carry the controller's finalizer: what it has reconciled, and what waits for it when it is stopped."""
    try:
        listing = cluster.list(*kind.key, metadata_only=True)
    except KindMissing:
        return []
    return [
        {"namespace": item["metadata"]["namespace"], "name": item["metadata"]["name"]}
        for item in listing.items
        if set(item["metadata"].get("finalizers") or []) & set(kind.finalizers)
    ]


def _late(
    kind: ServiceKind[Any, Any], controllers: Sequence[Controller], state: str, patience: float
) -> Json:
    names = ", ".join(str(each.reference) for each in controllers)
    what = "still has pods" if state == "stopped" else "has no pod that is ready"
    return {
        "failed": True,
        "msg": f"the {kind.kind} controller ({names}) {what} after {patience:.0f} s",
    }
