# SPDX-License-Identifier: GPL-3.0-or-later
"""Parallelism that cannot work, and that may not change. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json
from ..parallelism import group_size, is_data_parallel, is_pipeline_parallel
from .field_error import FieldError

_WORKER = "when worker is specified, parallelism must be configured for either data parallelism or pipeline parallelism"
_AT_LEAST = {
    "pipeline": "pipeline parallelism must be greater than 0",
    "data": "data parallelism must be greater than 0",
    "dataLocal": "dataLocal parallelism must be greater than 0",
}


def workloads(spec: Json) -> Iterator[tuple[str, Json]]:
    """Yield the decode and the prefill workload of a spec, each with its path."""
    yield "spec", spec
    if spec.get("prefill") is not None:
        yield "spec.prefill", spec["prefill"]


def errors(spec: Json) -> Iterator[FieldError]:
    """Yield what is wrong with the parallelism of both workloads."""
    for path, workload in workloads(spec):
        yield from _errors(path, workload)


def _errors(path: str, workload: Json) -> Iterator[FieldError]:
    worker, given = workload.get("worker"), workload.get("parallelism")
    if worker is not None and not (is_data_parallel(given) or is_pipeline_parallel(given)):
        yield FieldError("Invalid", f"{path}.worker", _WORKER, worker)
    if given is None:
        return
    where = f"{path}.parallelism"
    if is_pipeline_parallel(given) and is_data_parallel(given):
        both = "cannot set both pipeline parallelism and data parallelism (data or dataLocal) simultaneously"
        # Go leaves a false out of what it shows.
        shown = {name: value for name, value in given.items() if value is not False}
        yield FieldError("Invalid", where, both, shown)
    if "data" in given and "dataLocal" not in given:
        yield FieldError("Invalid", f"{where}.dataLocal", "dataLocal must be set when data is set")
    if "dataLocal" in given and "data" not in given:
        yield FieldError("Invalid", f"{where}.data", "data must be set when dataLocal is set")
    for field, message in _AT_LEAST.items():
        if given.get(field, 1) <= 0:
            yield FieldError("Invalid", f"{where}.{field}", message, given[field])


def changes(old: Json, new: Json) -> Iterator[FieldError]:
    """Yield what an update may not change: the size of a group of pods. Prefill counts where both specs have it."""
    before, after = dict(workloads(old)), dict(workloads(new))
    for path in before.keys() & after.keys():
        was = group_size(before[path].get("parallelism")) or 1
        size = group_size(after[path].get("parallelism")) or 1
        if was != size:
            detail = f"total parallelism size is immutable, previous size {was}, curr size {size}"
            yield FieldError("Unsupported", f"{path}.parallelism", detail, size)
