# SPDX-License-Identifier: GPL-3.0-or-later
"""How a model that one node cannot hold is spread over a head and workers.

Source: KServe pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from ....kube.manifest import Json
from ....kube.quantity import parse_quantity
from ...kserve.pod import changed, container_of, with_value
from ..errors import Unbuildable
from ..gpus import KNOWN_GPUS

#: The reason under which the controller reports whatever is wrong with workers.
INVALID_ALLOCATION = "InvalidGPUAllocation"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Degrees of parallelism, 1 where nobody says one."""

    pipeline: int
    tensor: int

    @classmethod
    def of(cls, wanted: Json, runtime: Json) -> Sizes:
        """Return them. wanted, runtime: the parts for workers of the service and of its runtime; the service's word counts."""
        fields = ("pipelineParallelSize", "tensorParallelSize")
        return cls(*(wanted.get(field) or runtime.get(field) or 1 for field in fields))


@dataclass(frozen=True, slots=True)
class Spread:
    """pipeline, tensor: degrees of parallelism. nodes: head and workers. head, worker: GPUs of each."""

    pipeline: int
    tensor: int
    nodes: int
    head: int
    worker: int


def one_stage_per_node(sizes: Sizes) -> Spread:
    """Return a spread in which each node has one stage of the pipeline, whatever its containers request."""
    return Spread(sizes.pipeline, sizes.tensor, sizes.pipeline, sizes.tensor, sizes.tensor)


def spread(sizes: Sizes, head: Json, worker: Json, types: Sequence[str]) -> Spread:
    """Return how many nodes there are and what each has. Raises Unbuildable where the nodes do not have enough.

    head, worker: the containers of the servers. types: names of GPUs. A container that asks for none gets what is left.
    """
    pipeline, tensor = sizes.pipeline, sizes.tensor
    total = pipeline * tensor
    nodes, of_head, of_worker = _nodes(total, _requested(head, types), _requested(worker, types))
    others = of_worker * (nodes - 1)
    if total > of_head + others:
        raise Unbuildable(
            f"the total required number of GPUs({total}) is less than the number of GPUs assigned to the "
            f"head node({of_head}) + worker node({others})",
            reason=INVALID_ALLOCATION,
            path="spec.predictor.workerSpec",
            told=f"{pipeline} x {tensor} = {total} GPUs are needed, and the head has {of_head}, the workers together {others}",
            advice="change pipelineParallelSize or tensorParallelSize, or the GPUs that the containers request",
            rule="multi-node-gpus",
        )
    return Spread(pipeline, tensor, nodes, of_head, of_worker)


def _nodes(total: int, head: int, worker: int) -> tuple[int, int, int]:
    """Return nodes, GPUs of the head and GPUs of a worker, from what the containers request."""
    if worker > 0:
        nodes = ceil(total / worker)
        if head > 0 and ceil(total / head) == 1:
            nodes = 1
        if nodes == 1:
            return 1, total, 0
        return nodes, head or total - worker * (nodes - 1), worker
    if head > 0:
        return max(total - head, 0) + 1, head, 1
    return total, 1, 1


def _requested(container: Json, types: Sequence[str]) -> int:
    requests = (container.get("resources") or {}).get("requests") or {}
    return next((int(parse_quantity(requests[name])) for name in types if name in requests), 0)


def with_gpus(pod: Json, name: str, count: int, types: Sequence[str]) -> Json:
    """Return a pod whose container asks for GPUs: of the type that it names, else NVIDIA's."""
    container = container_of(pod, name) or {}
    resources = container.get("resources") or {}
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    named = (each for each in types if _some(limits.get(each)) or _some(requests.get(each)))
    amount = {next(named, KNOWN_GPUS[0]): str(count)}
    wanted = {**resources, "limits": {**limits, **amount}, "requests": {**requests, **amount}}
    return changed(pod, name, lambda each: {**each, "resources": wanted})


def _some(amount: str | None) -> bool:
    return amount is not None and parse_quantity(amount) != 0


def with_values(pod: Json, name: str, values: Mapping[str, str]) -> Json:
    """Return a pod whose container has variables."""

    def knowing(container: Json) -> Json:
        for variable, value in values.items():
            container = with_value(container, variable, value)
        return container

    return changed(pod, name, knowing)
