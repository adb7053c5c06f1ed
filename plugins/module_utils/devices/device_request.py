# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task asks for in words of models and parallelism, as devices: read, checked, and sized."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..accelerators.build import Accelerator, Placement, place, read_accelerator
from ..accelerators.devices import Parallelism, Shape, read_parallelism
from ..accelerators.memory import check_model, size
from ..accelerators.model import read_model
from ..accelerators.vendors import known_memory
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from .model_files import read_model_files

Params = Mapping[str, Any]
#: More memory than one device has, in GiB.
_MOST_GIB = 2048


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a task asks for. memory: figures of the model. problems: warnings."""

    accelerator: Accelerator
    parallelism: Parallelism
    placement: Placement
    shape: Shape
    memory: list[Json]
    problems: list[Problem]

    @property
    def result(self) -> Json:
        """The part of the result that says it."""
        return {
            **asdict(self.placement),
            "devices": {"resource": self.accelerator.resource, **asdict(self.shape)},
            "memory": self.memory,
        }


def wanted_devices(params: Params) -> Wanted:
    """Return what a container asks for, and what the model takes. Raises InputError with every problem."""
    if not params["accelerator"]:
        raise InputError.single("accelerator", "", f"state {params['state']} needs an accelerator")
    accelerator, problems = read_accelerator(params["accelerator"], "accelerator")
    parallelism, found = read_parallelism(params["parallelism"], "parallelism")
    problems += found
    placement, replica = Placement(), Shape(0, 0, "")
    if not any(problem.severity == "error" for problem in problems):
        placement, replica, found = place(accelerator, parallelism, params["devices"])
        problems += found
    memory, found = _memory(params, accelerator, parallelism)
    problems += found
    errors = tuple(problem for problem in problems if problem.severity == "error")
    if errors:
        raise InputError([Complaint("gpu_resources", errors)])
    return Wanted(accelerator, parallelism, placement, replica, memory, problems)


def _memory_problems(given: Params, device: float) -> Iterator[Problem]:
    """Yield a memory of one device that is in another unit, or more than the device has by its name."""
    place = "accelerator.memory"
    if device > _MOST_GIB:
        text = f"{device:g} GiB are more than any device has; write GiB, for example 80"
        yield Problem(place, text, rule="memory")
        return
    known = known_memory(given["profile"] or "", given["product"] or "")
    if known and device > known:
        name = given["profile"] or given["product"]
        text = f"{device:g} GiB are given, and {name} has {known} GB by its name; the given value counts"
        yield Problem(place, text, "warning", rule="memory")


def _memory(
    params: Params, accelerator: Accelerator, parallelism: Parallelism
) -> tuple[list[Json], list[Problem]]:
    problems = []
    given = params["accelerator"]
    device = given["memory"] or 0
    if given["memory"] is not None and device <= 0:
        text = f"{device:g} is not above 0; leave it out where it is not known"
        problems.append(Problem("accelerator.memory", text, rule="memory"))
    problems += _memory_problems(given, device)
    if not 0 < params["utilization"] <= 1:
        share = params["utilization"] / 100
        way = f"; write {share:g} for {params['utilization']:g} percent" if 0 < share <= 1 else ""
        text = f"{params['utilization']} is not above 0 and at most 1{way}"
        problems.append(Problem("utilization", text, rule="memory"))
    if not params["model"]:
        return [], problems
    # What a name says is little more than what an engine finds.
    device = device or known_memory(given["profile"] or "", given["product"] or "")
    files = read_model_files(params["model"], "model")
    problems += files.problems
    broken = bool(files.problems) and files.config is None
    model, found = read_model(params["model"], "model", files.config, files.index, broken=broken)
    problems += found
    if model is None or any(problem.severity == "error" for problem in problems):
        return [], problems
    ranks = accelerator.ranks_per_device
    # A rank has its part of a device that runs several.
    figures = size(model, parallelism, device / ranks, params["utilization"])
    problems += check_model(model, parallelism, figures, "parallelism")
    return [asdict(figure) for figure in figures], problems
