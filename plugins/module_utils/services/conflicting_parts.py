# SPDX-License-Identifier: GPL-3.0-or-later
"""Workloads that the API server would refuse, because parts that are fine by themselves do not go together."""

from __future__ import annotations

from collections.abc import Iterator

from ..kube.manifest import Json, Manifest, value_at
from ..kube.pod_faults import pod_faults
from ..kube.pod_rules import resource_problems
from ..kube.problem import Problem


def object_faults(manifest: Manifest) -> Iterator[Problem]:
    """Yield what is wrong with the pods of a workload; nothing for other objects."""
    for path, pod in _pods(manifest):
        place = f"{manifest.reference}: {path}"
        yield from pod_faults(pod, place)
        for number, container in enumerate(pod.get("containers") or ()):
            # Claims are left out: these pods may have some.
            resources = {**(container.get("resources") or {}), "claims": ()}
            yield from resource_problems(resources, f"{place}.containers[{number}].resources")


def _pods(manifest: Manifest) -> Iterator[tuple[str, Json]]:
    spec: Json = dict(manifest.body).get("spec") or {}
    if manifest.kind == "Deployment" or manifest.reference.group == "serving.knative.dev":
        yield "spec.template.spec", value_at(spec, ("template", "spec")) or {}
    if manifest.kind == "LeaderWorkerSet":
        for name in ("leaderTemplate", "workerTemplate"):
            pod = value_at(spec, ("leaderWorkerTemplate", name, "spec"))
            if pod is not None:
                yield f"spec.leaderWorkerTemplate.{name}.spec", pod
