# SPDX-License-Identifier: GPL-3.0-or-later
"""Replicas, concurrency and logging of a component. Source: KServe pkg/apis/serving/v1beta1/inference_service_validation.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json
from ....kube.problem import Problem
from ..extension_schema import LOG_MODES
from ..names import Role


def extension_problems(component: Json, role: Role) -> Iterator[Problem]:
    """Yield what is wrong with what a component says beside its pods."""
    path = f"spec.{role}"
    low, high = component.get("minReplicas", 1), component.get("maxReplicas", 0)
    for field in ("containerConcurrency", "minReplicas", "maxReplicas"):
        value = component.get(field, 0)
        if value < 0:
            yield Problem(f"{path}.{field}", f"{value} is less than 0", rule="replicas")
    if 0 < high < low:
        message = (
            f"{high} is less than minReplicas, which is {low}; 0 or nothing follows minReplicas"
        )
        yield Problem(f"{path}.maxReplicas", message, rule="replicas")
    logger = component.get("logger")
    if logger is not None:
        yield from _logger(logger, f"{path}.logger")


def _logger(logger: Json, path: str) -> Iterator[Problem]:
    if not logger.get("mode"):
        message = (
            f"missing: one of {', '.join(LOG_MODES)}; KServe refuses a logger that does not say it"
        )
        yield Problem(f"{path}.mode", message, rule="logger")
    store = logger.get("storage")
    if store is not None:
        lacking = [field for field in ("path", "parameters", "key") if store.get(field) is None]
        if lacking:
            message = f"{' and '.join(lacking)} missing: a store needs path, parameters and key"
            yield Problem(f"{path}.storage", message, rule="logger")
