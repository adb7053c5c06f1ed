# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates that cannot continue. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go at aaac4e294dae."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from ....kube.manifest import Json
from .field_error import FieldError
from .workloads import workloads

_PERCENT = re.compile(r"[0-9]+%", re.ASCII)
_NO_PERCENT = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
_FIELDS = ("maxUnavailable", "maxSurge")


def errors(spec: Json) -> Iterator[FieldError]:
    """Yield what is wrong with how updates of both workloads go."""
    for path, workload in workloads(spec):
        said = workload.get("rolloutStrategy")
        if said is not None:
            where = f"{path}.rolloutStrategy"
            amounts = [*_amounts(said, where)]
            yield from amounts or _standstill(
                said, where, groups=workload.get("worker") is not None
            )


def _amounts(said: Json, path: str) -> Iterator[FieldError]:
    for field in _FIELDS:
        value = said.get(field)
        if isinstance(value, int) and value < 0:
            yield FieldError(
                "Invalid", f"{path}.{field}", "must be greater than or equal to 0", value
            )
        elif isinstance(value, str) and not _PERCENT.fullmatch(value):
            yield FieldError("Invalid", f"{path}.{field}", _NO_PERCENT, value)
        elif isinstance(value, str) and int(value[:-1]) > 100:
            yield FieldError("Invalid", f"{path}.{field}", "must not be greater than 100%", value)


def _standstill(said: Json, path: str, *, groups: bool) -> Iterator[FieldError]:
    missing, beside = (said.get(field) for field in _FIELDS)
    if missing is None or not _is_none(missing, math.floor):
        return
    if beside is not None and _is_none(beside, math.ceil):
        detail = "maxUnavailable and maxSurge cannot both be zero; this would prevent any rolling update progress"
        yield FieldError("Invalid", path, detail, said)
    if beside is None and groups:
        detail = "maxSurge is required for multi-node workloads when maxUnavailable is 0, otherwise no rolling update progress is possible"
        yield FieldError("Required", f"{path}.maxSurge", detail)


def _is_none(amount: int | str, rounded: Callable[[float], int]) -> bool:
    """Tell whether an amount is nothing of one pod."""
    return (amount if isinstance(amount, int) else rounded(int(amount[:-1]) / 100)) == 0
