# SPDX-License-Identifier: GPL-3.0-or-later
"""The transformer, which changes requests before and answers after the predictor.

Source: KServe pkg/controller/v1beta1/inferenceservice/components/transformer.go@v0.17.0.
"""

from __future__ import annotations

from ....kube.reader import Reader
from ..resolved import Resolved
from .annotations import Texts, batcher_annotations, logger_annotations
from .arguments import with_arguments
from .component import Component
from .merge import pod_part
from .metadata import component_annotations, component_labels
from .multi_node import with_values
from .predictor import NAME_VARIABLE
from .storage_annotations import with_source


def transformer(resolved: Resolved, reader: Reader, labels: Texts) -> Component:
    """Return the transformer. labels: the service's. Raises Unbuildable."""
    service, spec = resolved.service, resolved.service.spec["transformer"]
    internal = {
        **with_source({}, spec, "transformer", reader, resolved.settings.release),
        **logger_annotations(spec.get("logger")),
        **batcher_annotations(spec.get("batcher")),
    }
    pod = pod_part(spec)
    first, *others = pod["containers"]
    first = with_arguments(first, spec, service, port_again=False)
    pod = {**pod, "containers": [first, *others]}
    return Component(
        role="transformer",
        name=service.component_name("transformer"),
        labels=component_labels(resolved, "transformer", spec, labels),
        annotations=component_annotations(resolved, spec, internal),
        pod=with_values(pod, str(first.get("name")), {NAME_VARIABLE: service.name}),
        spec=spec,
    )
