# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiers of the KV cache. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.20.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json
from ....kube.quantity import parse_quantity
from .field_error import FieldError
from .workloads import workloads


def errors(spec: Json) -> Iterator[FieldError]:
    """Yield what is wrong with the tiers of both workloads."""
    for path, workload in workloads(spec):
        offloading = workload.get("kvCacheOffloading") or {}
        tiers = offloading.get("secondary") or ()
        where = f"{path}.kvCacheOffloading"
        if tiers and parse_quantity(str(offloading.get("cpu") or "0")) == 0:
            detail = "cpu must be set when secondary tiers are configured"
            yield FieldError("Required", f"{where}.cpu", detail)
        for number, tier in enumerate(tiers):
            yield from _tier(
                (tier or {}).get("fileSystem"), f"{where}.secondary[{number}].fileSystem"
            )


def _tier(files: Json | None, path: str) -> Iterator[FieldError]:
    if files is None:
        detail = "only fileSystem tiers are supported; fileSystem must be set"
        yield FieldError("Required", path, detail)
        return
    yield from _one_of(files, ("emptyDir", "pvc"), path)
    claim = files.get("pvc")
    if claim is None or files.get("emptyDir") is not None:
        return
    yield from _one_of(claim, ("spec", "ref"), f"{path}.pvc")
    named = claim.get("ref")
    if claim.get("spec") is None and named is not None and not named.get("name"):
        yield FieldError("Required", f"{path}.pvc.ref.name", "name is required")


def _one_of(value: Json, fields: tuple[str, str], path: str) -> Iterator[FieldError]:
    given = [field for field in fields if value.get(field) is not None]
    detail = f"exactly one of {' or '.join(fields)} must be set"
    if not given:
        yield FieldError("Required", path, detail)
    elif len(given) > 1:
        yield FieldError("Invalid", path, f"{detail}; multiple are set", value)
