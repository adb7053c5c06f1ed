# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of an InferenceGraph's children are written: in the graph, or in the router's configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reference import Reference
from ..field_map import FieldMap, Origin
from ..kserve.knative.names import KNATIVE_API
from ..kserve.system_config import CONFIG_MAP
from .resolved import Resolved

_TEMPLATE = "spec.template"
_POD = f"{_TEMPLATE}.spec"


def field_map(resolved: Resolved, manifests: Sequence[Json]) -> FieldMap:
    """Return the map of a graph. manifests: its children."""
    return FieldMap(partial(_origins, resolved), manifests)


def _origins(resolved: Resolved, reference: Reference) -> list[Origin]:
    return list(_of_child(resolved, reference))


def _of_child(resolved: Resolved, reference: Reference) -> Iterator[Origin]:
    graph, spec = resolved.graph, resolved.graph.spec
    for texts, value in (("labels", graph.labels), ("annotations", graph.annotations)):
        yield Origin(f"metadata.{texts}", f"metadata.{texts}", value)
        yield Origin(f"{_TEMPLATE}.metadata.{texts}", f"metadata.{texts}", value)
    if reference.api_version in (gvk.APPS, KNATIVE_API):
        knative = reference.api_version == KNATIVE_API
        container = f"{_POD}.containers[{'' if knative else graph.name}]"
        yield Origin(f"{container}.args", "spec.nodes", spec["nodes"])
        if any((spec.get("resources") or {}).values()):
            yield Origin(f"{container}.resources", "spec.resources", spec["resources"])
        config = f"ConfigMap {resolved.settings.kserve_namespace}/{CONFIG_MAP}"
        yield Origin(container, "router", object=config)
        yield Origin(f"{_POD}.imagePullSecrets", "router.imagePullSecrets", object=config)
        yield Origin("spec.replicas", "spec.minReplicas", spec.get("minReplicas"))
        yield Origin(f"{_POD}.timeoutSeconds", "spec.timeout", spec.get("timeout"))
        yield Origin(_POD, "spec", spec)
    elif reference.api_version == gvk.AUTOSCALING:
        for field in ("minReplicas", "maxReplicas"):
            yield Origin(f"spec.{field}", f"spec.{field}", spec.get(field))
        yield Origin("spec.metrics", "spec.scaleTarget", spec.get("scaleTarget"))
    yield Origin("", "metadata.name")
