# SPDX-License-Identifier: GPL-3.0-or-later
"""What a workload's `parallelism` means. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.17.0."""

from __future__ import annotations

from typing import Any

from ...kube.manifest import Json


def _number(parallelism: Json | None, key: str) -> int:
    value: Any = (parallelism or {}).get(key)
    return value if isinstance(value, int) else 0


def is_data_parallel(parallelism: Json | None) -> bool:
    """Tell whether each group of pods holds several copies of the model."""
    return _number(parallelism, "data") > 0 or _number(parallelism, "dataLocal") > 0


def is_pipeline_parallel(parallelism: Json | None) -> bool:
    """Tell whether each group of pods holds the model in stages."""
    return _number(parallelism, "pipeline") > 0


def group_size(parallelism: Json | None) -> int | None:
    """Return how many pods a group has; None where nothing says so."""
    if is_data_parallel(parallelism):
        return max(
            max(_number(parallelism, "data"), 1) // max(_number(parallelism, "dataLocal"), 1), 1
        )
    return _number(parallelism, "pipeline") or None
