# SPDX-License-Identifier: GPL-3.0-or-later
"""The workers of a predictor that one node cannot hold. Source: KServe pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from ....kube.manifest import Json
from ....kube.release import Since
from ...kserve.modes import STANDARD
from ...kserve.pod import container_of
from ...kserve.releases import KServe
from .. import labels as label_keys
from .. import names
from ..errors import ModelFailure, Unbuildable
from ..gpus import gpu_types
from ..resolved import Resolved
from ..runtimes.runtime import Runtime
from .annotations import SOURCE_URI, Texts
from .component import Component, Workers
from .containers import SERVER, WORKER
from .merge import (
    INVALID_SPEC,
    container_part,
    merged_container,
    merged_pod,
    pod_part,
    runtime_container,
)
from .metadata import component_annotations, component_labels
from .multi_node import (
    INVALID_ALLOCATION,
    Sizes,
    Spread,
    one_stage_per_node,
    spread,
    with_gpus,
    with_values,
)

#: The annotation of a runtime that says by what the engine starts its processes.
_EXECUTOR = "multinode/executor-backend"


@dataclass(frozen=True, slots=True)
class _Facts:
    """executors: those under which each stage of the pipeline has a node. variables: what workers are told."""

    executors: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset(
        {"RAY_NODE_COUNT", "REQUEST_GPU_COUNT", "ISVC_NAME", "HEAD_SVC"}
    )


_FACTS: Since[_Facts] = Since(
    {
        KServe.V0_17: _Facts(),
        KServe.V0_18: _Facts(
            executors=frozenset({"mp"}),
            variables=_Facts().variables
            | {"PIPELINE_PARALLEL_SIZE", "TENSOR_PARALLEL_SIZE", "WORKER_SVC"},
        ),
    }
)


@dataclass(frozen=True, slots=True)
class HeadAndWorkers:
    """A predictor that is to get workers.

    runtime: the spec of its runtime. labels: the service's, with those that the runtime asks for. internal: annotations for the pod webhook.
    """

    resolved: Resolved
    head: Component
    runtime: Json
    labels: Texts
    internal: Texts


def with_workers(around: HeadAndWorkers, runtime: Runtime | None) -> Component:
    """Return the predictor with its workers. Raises Unbuildable."""
    part = around.runtime.get("workerSpec")
    if part is None:
        raise _without_worker_spec(runtime)
    service = around.resolved.service.name
    known = gpu_types({}, around.resolved.config.gpu_types)
    pod = _worker_pod(around, part)
    head = container_of(around.head.pod, SERVER) or {}
    sizes = Sizes.of(around.head.spec["workerSpec"], part)
    facts = _FACTS.at(around.resolved.settings.release)
    by_ray = _executor(around) not in facts.executors
    found = (
        spread(sizes, head, pod["containers"][0], known) if by_ray else one_stage_per_node(sizes)
    )
    generation = around.resolved.generation
    nodes = {
        "HEAD_SVC": names.head_service(service, generation),
        "WORKER_SVC": names.workers_service(service, generation),
    }
    head_pod = with_values(around.head.pod, SERVER, _of_head(around, found))
    pod = with_values(pod, WORKER, _of_worker(service, nodes, found, facts.variables))
    marked = {label_keys.GENERATION: str(generation)}
    spec = around.head.spec
    component = replace(
        around.head,
        pod=head_pod,
        labels={**around.head.labels, **marked},
        head_service=nodes["HEAD_SVC"],
        workers=Workers(
            name=names.workers(service),
            labels={
                **component_labels(
                    around.resolved, "predictor", spec, around.labels, part.get("labels")
                ),
                **marked,
            },
            annotations=component_annotations(
                around.resolved, spec, around.internal, part.get("annotations")
            ),
            pod=pod,
            replicas=found.nodes - 1,
            service=nodes["WORKER_SVC"],
        ),
    )
    return _with_gpus(component, found, around) if around.resolved.mode == STANDARD else component


def _without_worker_spec(runtime: Runtime | None) -> Unbuildable:
    message = "you cannot set WorkerSpec in the InferenceService if the ServingRuntime does not have a WorkerSpec"
    return Unbuildable(
        message,
        path="spec.predictor.workerSpec",
        advice=(
            f"{runtime} has none: use a runtime that has one, or leave workerSpec out"
            if runtime
            else "it needs spec.predictor.model, served by a runtime that has one"
        ),
        rule="multi-node-runtime",
    )


def _worker_pod(around: HeadAndWorkers, part: Json) -> Json:
    containers = part.get("containers") or []
    if not containers:
        message = "No workerSpec container configuration found in selected serving runtime"
        raise Unbuildable(
            message,
            reason=INVALID_ALLOCATION,
            model=ModelFailure(INVALID_SPEC, message),
            path="spec.predictor.model.runtime",
            advice=f'give its workerSpec a container "{WORKER}"',
            rule="multi-node-runtime",
        )
    wanted = around.head.spec["workerSpec"]
    own = (wanted.get("containers") or [{}])[0]
    container = merged_container(
        runtime_container(containers, WORKER, "the runtime's workerSpec"),
        container_part(own),
        around.resolved.settings.release,
    )
    pod = merged_pod(part, pod_part(wanted), around.resolved.settings.release)
    return {**pod, "containers": [container]}


def _of_head(around: HeadAndWorkers, found: Spread) -> Texts:
    scheme = around.internal.get(SOURCE_URI, "").split("://")[0]
    return {
        "PIPELINE_PARALLEL_SIZE": str(found.pipeline),
        "TENSOR_PARALLEL_SIZE": str(found.tensor),
        "RAY_NODE_COUNT": str(found.nodes),
        "REQUEST_GPU_COUNT": str(found.head),
        "MODEL_NAME": around.resolved.service.name,
        **({"MODEL_DIR": "/mnt/models"} if scheme in ("pvc", "oci") else {}),
    }


def _executor(around: HeadAndWorkers) -> str:
    """Return by what the engine starts its processes on the other nodes, as the runtime says it; empty where it does not."""
    return str((around.runtime.get("annotations") or {}).get(_EXECUTOR) or "")


def _of_worker(
    service: str, nodes: Mapping[str, str], found: Spread, known: Collection[str]
) -> Texts:
    """Return the variables of workers. nodes: who finds whom. known: those that the release gives them."""
    every = {
        "RAY_NODE_COUNT": str(found.nodes),
        "REQUEST_GPU_COUNT": str(found.worker),
        "PIPELINE_PARALLEL_SIZE": str(found.pipeline),
        "TENSOR_PARALLEL_SIZE": str(found.tensor),
        "ISVC_NAME": service,
        **nodes,
    }
    return {name: value for name, value in every.items() if name in known}


def _with_gpus(component: Component, found: Spread, around: HeadAndWorkers) -> Component:
    """Return a predictor whose containers ask for the GPUs that they get. Deployments alone have workers."""
    workers = component.workers
    if workers is None:
        return component
    configured = around.resolved.config.gpu_types
    types = gpu_types(component.annotations, configured)
    return replace(
        component,
        pod=with_gpus(component.pod, SERVER, found.head, types),
        workers=replace(
            workers,
            pod=with_gpus(
                workers.pod, WORKER, found.worker, gpu_types(workers.annotations, configured)
            ),
        ),
    )
