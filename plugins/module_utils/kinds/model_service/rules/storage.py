# SPDX-License-Identifier: GPL-3.0-or-later
"""Where weights come from."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from ..settings import Settings
from ..spec import ModelService


def plain_http(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Warn that the model registry is called without TLS, credentials included (docs/differences.md, W43)."""
    if settings.plain_http and settings.model_kit_image:
        credentials = ", credentials included," if service.model.image_pull_secrets else ""
        message = (
            f"is fetched over plain HTTP{credentials} as the operator does, and a registry that requires TLS refuses it; "
            "set model_registry.plain_http to false for TLS"
        )
        yield Problem("spec.model.image", message, "warning", rule="plain-http")
