# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of service that the collection knows."""

from __future__ import annotations

from typing import Any

from .kind import ServiceKind
from .llm_inference_service.kind import LLM_INFERENCE_SERVICE
from .model_service.kind import MODEL_SERVICE

#: By the apiVersion that is stored, and kind.
KINDS: dict[tuple[str, str], ServiceKind[Any, Any]] = {
    kind.key: kind for kind in (MODEL_SERVICE, LLM_INFERENCE_SERVICE)
}
#: By every apiVersion in which a service may be written, and kind.
WRITTEN: dict[tuple[str, str], ServiceKind[Any, Any]] = {
    (version, kind.kind): kind for kind in KINDS.values() for version in kind.versions
}
