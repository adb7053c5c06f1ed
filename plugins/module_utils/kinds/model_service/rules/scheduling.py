# SPDX-License-Identifier: GPL-3.0-or-later
"""Where pods may run, and the annotations of their templates."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.pod_rules import annotation_problems, label_problems, toleration_problems
from ....kube.problem import Problem
from ..settings import Settings
from ..spec import ModelService, roles


def placement(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse node selectors, tolerations and annotations that no pod takes."""
    for name, role in roles(service):
        yield from label_problems(role.node_selector, f"spec.{name}.nodeSelector")
        yield from toleration_problems(role.tolerations, f"spec.{name}.tolerations")
        yield from annotation_problems(role.annotations, f"spec.{name}.annotations")
