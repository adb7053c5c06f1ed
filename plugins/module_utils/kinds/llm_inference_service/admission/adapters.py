# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of adapters. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.19.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....kube.manifest import Json, value_at
from ....kube.release import Since
from ...kserve.releases import KServe
from .field_error import FieldError

#: Versions of which the webhook looks at adapters.
_LOOKED_AT: Since[tuple[str, ...]] = Since(
    {KServe.V0_17: (), KServe.V0_19: ("v1alpha2",), KServe.V0_21: ("v1alpha1", "v1alpha2")}
)
_PATH = "spec.model.lora.adapters"


def errors(spec: Json, service: str, version: str, release: KServe) -> Iterator[FieldError]:
    """Yield what is wrong with the names. service: its name, which the model has where it has none."""
    if version not in _LOOKED_AT.at(release):
        return
    model = value_at(spec, ("model", "name")) or service
    first: dict[str, int] = {}
    for number, name in _names(value_at(spec, ("model", "lora", "adapters"))):
        path = f"{_PATH}[{number}].name"
        if not name:
            yield FieldError("Required", path, "adapter name is required")
            continue
        if name in (".", ".."):
            detail = 'adapter name must not include "." or ".." (path traversal risk)'
            yield FieldError("Invalid", path, detail, name)
            continue
        if name in first:
            detail = f"duplicate name (same as adapters[{first[name]}])"
            yield FieldError("Invalid", path, detail, name)
        first.setdefault(name, number)
        if name == model:
            detail = f'adapter name must differ from base model name "{model}"'
            yield FieldError("Invalid", path, detail, name)


def _names(adapters: Any) -> Iterator[tuple[int, str | None]]:
    """Yield the number and name of each adapter; one that cannot be read has been named as such."""
    for number, adapter in enumerate(adapters if isinstance(adapters, list) else ()):
        given = {} if adapter is None else adapter
        if isinstance(given, dict) and isinstance(given.get("name"), str | None):
            yield number, given.get("name")
