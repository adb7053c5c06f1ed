# SPDX-License-Identifier: GPL-3.0-or-later
"""An InferenceGraph as checks see it: a router, which is no engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reference import Reference
from ...kube.validation.workload import with_knative_defaults
from ..kserve.knative.names import KNATIVE_API
from ..kserve.modes import KNATIVE
from ..view import ROUTER, Said, ServiceView, Workload
from .field_map import field_map
from .resolved import Resolved
from .spec import all_steps


def view(resolved: Resolved, manifests: Sequence[Json]) -> ServiceView:
    """Return what a graph became. manifests: its children."""
    graph, fields = resolved.graph, field_map(resolved, manifests)
    made = {Reference.of(manifest): manifest for manifest in manifests}
    knative = resolved.mode == KNATIVE
    api_version, kind = (KNATIVE_API, "Service") if knative else (gvk.APPS, "Deployment")
    reference = Reference(api_version, kind, graph.namespace, graph.name)
    workloads: tuple[Workload, ...] = ()
    if reference in made:
        manifest = made[reference]
        spec = (with_knative_defaults(manifest) if knative else manifest)["spec"]
        workloads = (
            Workload(
                role=ROUTER,
                reference=reference,
                origin="spec",
                pod=spec["template"]["spec"],
                fields=fields.of_pod(reference, "spec.template"),
                labels=spec["template"]["metadata"]["labels"],
                replicas=spec.get("replicas"),
                replicas_field="spec.minReplicas",
            ),
        )
    return ServiceView(
        reference=graph.reference,
        document=graph.document,
        workloads=workloads,
        made=manifests,
        calls=tuple(_calls(graph.spec)),
        field_map=fields,
        basis=resolved,
    )


def _calls(spec: Json) -> Iterator[Said]:
    """Yield the addresses of steps that the author wrote."""
    for step in all_steps(spec):
        if step.value.get("serviceUrl"):
            yield Said(str(step.value["serviceUrl"]), f"{step.path}.serviceUrl")
