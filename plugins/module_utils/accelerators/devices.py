# SPDX-License-Identifier: GPL-3.0-or-later
"""From the parallelism of an engine to devices per pod and pods per replica.

Tensor (TP) and pipeline parallelism (PP) split one copy of the model, data parallelism (DP) multiplies copies, of which
DPL run in one pod. Expert parallelism spreads experts over TP × DP and asks for no device of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..kube.problem import Problem
from ..kube.schema_faults import show
from .vendors import is_mig, is_shared


@dataclass(frozen=True, slots=True)
class Parallelism:
    """How an engine spreads a model. data_local: DP ranks in one pod; all of them where it is 0."""

    tensor: int = 1
    pipeline: int = 1
    data: int = 1
    data_local: int = 0
    expert: bool = False

    @property
    def ranks_in_pod(self) -> int:
        """Data-parallel ranks of one pod."""
        return self.data_local or self.data


@dataclass(frozen=True, slots=True)
class Shape:
    """What one replica is made of. how: the sum behind the number of devices."""

    devices_per_pod: int
    pods_per_replica: int
    how: str


_SIZES = ("tensor", "pipeline", "data", "data_local")


def read_parallelism(given: dict[str, Any], path: str) -> tuple[Parallelism, list[Problem]]:
    """Return the parallelism that a user gives, and every problem in it; sizes in doubt count as 1."""
    problems = []
    sizes = {}
    for name in _SIZES:
        value = given.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int):
            problems.append(
                Problem(
                    f"{path}.{name}", f"{show(value)} is not a whole number", rule="parallelism"
                )
            )
        elif value < 1:
            problems.append(
                Problem(f"{path}.{name}", f"{value} is less than 1", rule="parallelism")
            )
        else:
            sizes[name] = value
    parallelism = Parallelism(**sizes, expert=bool(given.get("expert")))
    local, data = parallelism.data_local, parallelism.data
    if local > data or data % (local or 1):
        text = f"{local} does not divide data, {data}; each pod runs the same number of ranks"
        problems.append(Problem(f"{path}.data_local", text, rule="data-local"))
    return parallelism, problems


def shape(parallelism: Parallelism, devices_per_node: int = 0, ranks_per_device: int = 1) -> Shape:
    """Return devices per pod and pods per replica.

    devices_per_node: 0 where it is not known; a pod that needs more is spread over several: one for each pipeline stage, or,
    where a stage is still too large, as many full nodes as the copy needs. ranks_per_device: cores of a device that each are
    one tensor rank (2 on TPU v7 and on Inferentia). Raises ValueError where it cannot be divided like this.
    """
    tensor, pipeline, local = (
        parallelism.tensor,
        parallelism.pipeline,
        parallelism.ranks_in_pod,
    )
    copies = parallelism.data // local
    whole = _devices(tensor * pipeline * local, ranks_per_device)
    how = f"tensor {tensor} × pipeline {pipeline} × data_local {local}"
    if ranks_per_device > 1:
        how += f" / {ranks_per_device} ranks per device"
    if not devices_per_node or whole <= devices_per_node:
        return Shape(whole, copies, how)
    stage = _devices(tensor * local, ranks_per_device)
    if pipeline > 1 and stage <= devices_per_node:
        return Shape(stage, pipeline * copies, f"{how}, one pipeline stage per pod")
    if local == 1 and whole % devices_per_node == 0:
        pods = whole // devices_per_node
        return Shape(devices_per_node, pods * copies, f"{how}, over {pods} nodes")
    raise ValueError(
        f"{how} needs {whole} devices in one pod, and a node has {devices_per_node}; "
        "give a smaller tensor or data_local, or a pipeline of several stages"
    )


def _devices(ranks: int, ranks_per_device: int) -> int:
    if ranks % ranks_per_device:
        raise ValueError(
            f"{ranks} ranks do not fill devices of {ranks_per_device} ranks each; give a multiple"
        )
    return ranks // ranks_per_device


def check_shape(
    parallelism: Parallelism, found: Shape, resource: str, devices_per_node: int, path: str
) -> Iterator[Problem]:
    """Yield what will not work, or not as hoped, on devices of a kind."""
    tensor = parallelism.tensor
    if is_shared(resource) and found.devices_per_pod > 1:
        text = f"{found.devices_per_pod} of {resource} may be slices of one device, so they cannot be joined; request whole devices"
        yield Problem(path, text, rule="shared-devices")
    if is_mig(resource) and tensor * parallelism.pipeline > 1:
        text = (
            f"slices of {resource} cannot reach each other's memory, so tensor {tensor} × pipeline {parallelism.pipeline} "
            "will not start in most engines; request one larger slice or whole devices"
        )
        yield Problem(path, text, "warning", rule="mig-parallel")
    if parallelism.expert and tensor * parallelism.data == 1:
        text = "has no effect: with tensor 1 and data 1 one rank has all experts; leave it out"
        yield Problem(f"{path}.expert", text, "warning", rule="tensor-heads")
    if devices_per_node and tensor > devices_per_node:
        text = f"{tensor} does not fit one node, which has {devices_per_node}; layers that are split across nodes need a very fast network"
        yield Problem(f"{path}.tensor", text, "warning", rule="tensor-across-nodes")
    if tensor & (tensor - 1):
        text = f"{tensor} is not a power of two; engines refuse it where it does not divide the model's attention heads"
        yield Problem(f"{path}.tensor", text, "warning", rule="tensor-heads")
