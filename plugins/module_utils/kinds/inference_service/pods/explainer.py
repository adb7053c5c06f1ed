# SPDX-License-Identifier: GPL-3.0-or-later
"""The explainer, which says why a predictor answers as it does. Source: KServe pkg/controller/v1beta1/inferenceservice/components/explainer.go@v0.17.0."""

from __future__ import annotations

from ....kube.manifest import Json
from ....kube.reader import Reader
from ..resolved import Resolved
from .annotations import Texts, logger_annotations
from .arguments import art_arguments, with_arguments
from .component import Component
from .containers import SERVER
from .merge import container_part, pod_part
from .metadata import component_annotations, component_labels
from .storage_annotations import with_source


def explainer(resolved: Resolved, reader: Reader, labels: Texts) -> Component:
    """Return the explainer. labels: the service's. Raises Unbuildable."""
    service, spec = resolved.service, resolved.service.spec["explainer"]
    internal = {
        **with_source({}, spec, "explainer", reader, resolved.settings.release),
        **logger_annotations(spec.get("logger")),
    }
    pod = pod_part(spec)
    containers = pod.get("containers") or [{}]
    first = _first(resolved, spec, containers[0])
    return Component(
        role="explainer",
        name=service.component_name("explainer"),
        labels=component_labels(resolved, "explainer", spec, labels),
        annotations=component_annotations(resolved, spec, internal),
        pod={**pod, "containers": [first, *containers[1:]]},
        spec=spec,
    )


def _first(resolved: Resolved, spec: Json, container: Json) -> Json:
    service = resolved.service
    art = spec.get("art")
    if art is None:
        return with_arguments(container, spec, service, port_again=True)
    server = {
        **container_part(art),
        "name": SERVER,
        "args": art_arguments(art, spec, service),
    }
    if not server.get("image"):
        server["image"] = f"{resolved.config.art.image}:{art.get('runtimeVersion') or ''}"
    return server
