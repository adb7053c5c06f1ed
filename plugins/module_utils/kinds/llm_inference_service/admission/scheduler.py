# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the endpoint picker that cannot be. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.17.0."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ....kube.manifest import Json, value_at
from .field_error import FieldError, Shown

_SCHEDULER = "spec.router.scheduler"


def errors(spec: Json) -> Iterator[FieldError]:
    """Yield what is wrong with the scheduler of a service."""
    yield from replica_errors(spec)
    config = value_at(spec, ("router", "scheduler", "config"))
    if config is None:
        return
    path = f"{_SCHEDULER}.config"
    inline, ref = config.get("inline"), config.get("ref")
    if inline is None and ref is None:
        yield FieldError("Invalid", path, "either inline or ref is required", config)
    if inline is not None and ref is not None:
        both = "both inline and ref are set, either specify inline or ref"
        yield FieldError("Invalid", path, both, config)
    # A text comes from a ConfigMap; anything shorter than an object with a field says nothing.
    if inline is not None and (inline == {} or (isinstance(inline, str) and len(inline) < 3)):
        shown = _as_bytes(inline) if isinstance(inline, str) else inline
        yield FieldError("Invalid", f"{path}.inline", "inline configuration is invalid", shown)
    if ref is not None and not ref.get("name"):
        yield FieldError("Invalid", f"{path}.ref.name", "name is empty", ref)


def _as_bytes(text: str) -> Any:
    """Return a text as the controller shows it: as JSON where it is that, else as Go prints bytes."""
    try:
        return json.loads(text)
    except ValueError:
        numbers = " ".join(map(str, text.encode()))
        return Shown(f"&RawExtension{{Raw:*[{numbers}],}}")


def replica_errors(spec: Json) -> Iterator[FieldError]:
    """Yield what is wrong with the number of pickers, which configs are asked, too."""
    replicas = value_at(spec, ("router", "scheduler", "replicas"))
    if replicas is not None and replicas <= 0:
        detail = "scheduler replicas must be greater than zero"
        yield FieldError("Invalid", f"{_SCHEDULER}.replicas", detail, replicas)
