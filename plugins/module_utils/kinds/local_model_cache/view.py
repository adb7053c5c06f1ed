# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache as checks see it: nothing of it serves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...kube.manifest import Json
from ...kube.reference import Reference
from ..field_map import FieldMap, Origin
from ..view import ServiceView
from .child_kinds import JOB
from .resolved import Resolved


def view(resolved: Resolved, manifests: Sequence[Json]) -> ServiceView:
    """Return what a cache became. manifests: its children."""
    return ServiceView(
        reference=resolved.cache.reference,
        document=resolved.cache.document,
        workloads=(),
        made=manifests,
        field_map=FieldMap(partial(_origins, resolved), manifests),
        basis=resolved,
    )


def _origins(resolved: Resolved, reference: Reference) -> list[Origin]:
    spec, name = resolved.cache.spec, Origin("", "metadata.name")
    if reference.kind == JOB.kind:
        source = spec["sourceModelUri"]
        return [Origin("spec.template.spec", "spec.sourceModelUri", source), name]
    return [Origin("spec", "spec.nodeGroups", spec["nodeGroups"]), name]
