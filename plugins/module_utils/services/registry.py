# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of service that the collection knows, by apiVersion and kind."""

from __future__ import annotations

from typing import Any

from .kind import ServiceKind
from .model_service.kind import MODEL_SERVICE

KINDS: dict[tuple[str, str], ServiceKind[Any, Any]] = {kind.key: kind for kind in (MODEL_SERVICE,)}
