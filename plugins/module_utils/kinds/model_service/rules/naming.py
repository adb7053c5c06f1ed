# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service may be called."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from .. import names
from ..settings import Settings
from ..spec import ModelService


def service_name(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse a name that gives an illegal child or label (docs/differences.md, W8, W9, W13)."""
    for message in names.problems(service.name):
        yield Problem("metadata.name", message, rule="name")
