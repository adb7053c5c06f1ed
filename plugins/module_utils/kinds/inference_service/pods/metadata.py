# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels and annotations of a component's objects and pods. Source: KServe pkg/controller/v1beta1/inferenceservice/components/component.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping

from ....kube.manifest import Json
from .. import labels
from ..names import Role
from ..resolved import Resolved

Texts = Mapping[str, str]


def component_labels(
    resolved: Resolved,
    role: Role,
    component: Json,
    of_service: Texts,
    of_runtime: Texts | None = None,
) -> Texts:
    """Return the labels, the weakest first: the runtime's, the service's, the component's, KServe's own."""
    return {
        **(of_runtime or {}),
        **of_service,
        **(component.get("labels") or {}),
        **labels.component(resolved.service.name, role),
    }


def component_annotations(
    resolved: Resolved, component: Json, internal: Texts, of_runtime: Texts | None = None
) -> Texts:
    """Return the annotations that may be passed on, the weakest first; `internal` are those for the pod webhook."""
    return {
        **_allowed(of_runtime or {}, resolved),
        **_allowed(resolved.service.annotations, resolved),
        **internal,
        **_allowed(component.get("annotations") or {}, resolved),
    }


def _allowed(annotations: Texts, resolved: Resolved) -> Texts:
    refused = resolved.config.disallowed_annotations
    return {key: value for key, value in annotations.items() if key not in refused}
