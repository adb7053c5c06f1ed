# SPDX-License-Identifier: GPL-3.0-or-later
"""Workloads that the API server would refuse, because parts that are fine by themselves do not go together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kube.manifest import Json, Manifest, value_at
from ..kube.pod_rules import resource_problems
from ..kube.pod_validation import HANDLERS, PROBES, pod_faults
from ..kube.problem import Problem


def object_faults(manifest: Manifest) -> Iterator[Problem]:
    """Yield what is wrong with the pods of a workload or with the ports of a Service; nothing for other objects."""
    if manifest.reference.api_version == "v1" and manifest.kind == "Service":
        yield from _nameless_ports(manifest)
    for path, pod in _pods(manifest):
        place = f"{manifest.reference}: {path}"
        yield from pod_faults(pod, place)
        if manifest.kind == "Deployment":
            yield from _deadline(pod, place)
        for number, container in enumerate(pod.get("containers") or ()):
            # Claims are left out: these pods may have some.
            resources = {**(container.get("resources") or {}), "claims": ()}
            yield from resource_problems(resources, f"{place}.containers[{number}].resources")


def _nameless_ports(manifest: Manifest) -> Iterator[Problem]:
    ports = value_at(dict(manifest.body), ("spec", "ports")) or ()
    for number, port in enumerate(ports if len(ports) > 1 else ()):
        if not port.get("name"):
            message = f"port {port.get('port')} has no name, which each of several ports needs; name it in the container"
            yield Problem(f"{manifest.reference}: spec.ports[{number}].name", message, rule="pod")


def _deadline(pod: Json, path: str) -> Iterator[Problem]:
    if pod.get("activeDeadlineSeconds") is not None:
        message = "pods of a Deployment have no deadline; leave it out"
        yield Problem(f"{path}.activeDeadlineSeconds", message, rule="pod")


def _as_knative_takes(pod: Json) -> Json:
    """Return a pod without the probes that Knative fills in: one for readiness that says no way, and any that says no port."""

    def judged(container: Json) -> Json:
        return {key: value for key, value in container.items() if not _is_filled_in(key, value)}

    return {**pod, "containers": [judged(one) for one in pod.get("containers") or ()]}


def _is_filled_in(field: str, value: Any) -> bool:
    if field not in PROBES or not isinstance(value, dict):
        return False
    ways = [value[handler] or {} for handler in HANDLERS if handler in value]
    return any(way.get("port") == 0 for way in ways) or (field == "readinessProbe" and not ways)


def _pods(manifest: Manifest) -> Iterator[tuple[str, Json]]:
    spec: Json = dict(manifest.body).get("spec") or {}
    pod = value_at(spec, ("template", "spec")) or {}
    if manifest.kind == "Deployment":
        yield "spec.template.spec", pod
    if manifest.reference.group == "serving.knative.dev":
        yield "spec.template.spec", _as_knative_takes(pod)
    if manifest.kind == "LeaderWorkerSet":
        for name in ("leaderTemplate", "workerTemplate"):
            pod = value_at(spec, ("leaderWorkerTemplate", name, "spec"))
            if pod is not None:
                yield f"spec.leaderWorkerTemplate.{name}.spec", pod
