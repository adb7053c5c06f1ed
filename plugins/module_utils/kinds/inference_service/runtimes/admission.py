# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's webhooks refuse of a ServingRuntime or ClusterServingRuntime; without them it is found out by a service.

Source: KServe pkg/webhook/admission/servingruntime/servingruntime_webhook.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ...kserve.releases import KServe
from ..admission.environment import pod_containers, refused_variables
from ..gpus import GPU_TYPES_ANNOTATION, annotated_gpus, unknown_devices
from ..implementations import KSERVE_CONTAINER, variable
from ..pods.containers import WORKER
from .runtime import Runtime

_SIZES = {
    "pipelineParallelSize": "PIPELINE_PARALLEL_SIZE",
    "tensorParallelSize": "TENSOR_PARALLEL_SIZE",
}


def runtime_problems(
    runtime: Runtime,
    neighbours: Sequence[Runtime],
    release: KServe,
    gpu_types: Collection[str] = (),
    before: Json | None = None,
) -> Iterator[Problem]:
    """Yield why the webhook would refuse a runtime.

    neighbours: the others of its namespace, or of the cluster. gpu_types: those of KServe's configuration. before: its spec until now.
    """
    if runtime.spec.get("disabled"):
        return
    others = [each for each in neighbours if each.name != runtime.name]
    # The webhook looks at a runtime's own priorities only where there is any runtime, be it the same one until now.
    if others or before is not None:
        yield from _own_priorities(runtime)
    for other in others:
        for name, priority in ties(runtime, other):
            message = f"{other} has priority {priority} for {show(name)}, too; give one of them another priority"
            yield Problem("spec.supportedModelFormats", message, rule="runtime-priority")
    if (before or {}).get("workerSpec") is not None and runtime.spec.get("workerSpec") is None:
        yield Problem(
            "spec.workerSpec",
            "it cannot be taken away; make another runtime",
            rule="runtime-workers",
        )
    yield from _workers(runtime, gpu_types)
    servers = [("spec", runtime.spec), ("spec.workerSpec", runtime.spec.get("workerSpec") or {})]
    for path, pod in servers:
        named = {"containers": pod.get("containers")}
        yield from refused_variables(pod_containers(named, path), release)


def ties(one: Runtime, other: Runtime) -> Iterator[tuple[str, int]]:
    """Yield the formats for which two runtimes have the same priority, so that none of them is the better one."""
    if bool(one.spec.get("multiModel")) != bool(other.spec.get("multiModel")):
        return
    if other.spec.get("disabled") or not set(_protocols(one)) & set(_protocols(other)):
        return
    for first in _chosen_by_themselves(one):
        for second in _chosen_by_themselves(other):
            same = str(first.get("name")).lower() == str(second.get("name")).lower()
            if same and first.get("version") == second.get("version"):
                priority = first.get("priority")
                if priority is not None and priority == second.get("priority"):
                    yield str(first.get("name")), priority


def _protocols(runtime: Runtime) -> Sequence[str]:
    return runtime.spec.get("protocolVersions") or ()


def _chosen_by_themselves(runtime: Runtime) -> list[Json]:
    formats = runtime.spec.get("supportedModelFormats") or ()
    return [each for each in formats if each.get("autoSelect")]


def _own_priorities(runtime: Runtime) -> Iterator[Problem]:
    first: dict[str, int | None] = {}
    for each in _chosen_by_themselves(runtime):
        name, priority = str(each.get("name")), each.get("priority")
        known = first.setdefault(name, priority)
        if None not in (known, priority) and known != priority:
            message = f"{show(name)} has the priorities {known} and {priority}; only the first would count"
            yield Problem("spec.supportedModelFormats", message, rule="runtime-priority")


def _workers(runtime: Runtime, gpu_types: Collection[str]) -> Iterator[Problem]:
    workers = runtime.spec.get("workerSpec")
    if workers is None:
        return
    containers = workers.get("containers") or ()
    if len(containers) != 1:
        yield Problem(
            "spec.workerSpec.containers", "workers have one container", rule="runtime-workers"
        )
    for field in _SIZES:
        size = workers.get(field)
        if size is not None and size < 1:
            yield Problem(
                f"spec.workerSpec.{field}", f"{size} is less than 1", rule="runtime-workers"
            )
    servers = [
        (f"spec.containers[{number}]", each)
        for number, each in enumerate(runtime.spec.get("containers") or ())
        if each.get("name") == KSERVE_CONTAINER
    ]
    for path, server in servers:
        for field, name in _SIZES.items():
            if variable(server, name) is not None:
                message = f"{name} comes from spec.workerSpec.{field}; write it there"
                yield Problem(f"{path}.env", message, rule="runtime-workers")
    first = [one for one in containers[:1] if one.get("name") == WORKER]
    judged = [*servers, *(("spec.workerSpec.containers[0]", one) for one in first)]
    annotations = runtime.spec.get("annotations") or {}
    if judged and annotated_gpus(annotations) is None:
        message = f"{show(annotations[GPU_TYPES_ANNOTATION])} is not a JSON list of names"
        yield Problem(f'spec.annotations["{GPU_TYPES_ANNOTATION}"]', message, rule="gpu-type")
        return
    for path, each in judged:
        for device in unknown_devices(each, annotations, gpu_types):
            message = f"{show(device)} is not known as a GPU; name it in an annotation of spec.annotations"
            yield Problem(f"{path}.resources", message, rule="gpu-type")
