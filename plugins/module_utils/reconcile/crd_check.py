# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the CRD in the cluster has the fields that a release writes: the API server refuses an apply of a field that it does not declare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, KindMissing
from ..engine.service_plan import ServicePlan
from ..kinds.kind import ServiceKind
from ..kube.crds import API_VERSION, KIND, declared_status, undeclared_fields
from ..kube.intent import Stage
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.text import few
from .compiled_service import CompiledService

#: How many fields a message names.
_NAMED = 10


class CrdCheck:
    """Looks at the CRD of each kind once, and only for services that may have a field which it lacks."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._read: dict[str, Json | None] = {}

    def problems(self, target: CompiledService, plan: ServicePlan) -> Iterator[Problem]:
        """Yield which fields of a custom resource, and of its status, the CRD in the cluster does not declare."""
        line, release = target.service.kind.releases, target.service.settings.release
        written = any(change.stage is Stage.PARENT and change.is_edit for change in plan.changes)
        if line.crd is None or not written or plan.parent.reference != plan.service:
            return
        oldest = min(line.backing)
        if release == oldest:
            return
        status = line.later_status(release)
        later = status or undeclared_fields(line.crd(oldest), target.document)
        live = self._live(target.service.kind) if later else None
        if live is None:
            return
        lacking = undeclared_fields(live, target.document)
        absent = status - declared_status(live, target.reference.api_version)
        lacking += sorted(f"status.{path}" for path in absent if not _is_below(path, absent))
        if lacking:
            text = (
                f"the CRD in the cluster does not declare {few(lacking, _NAMED)}, which {release.product} {release} has, and the API server "
                f"refuses them; bring up KServe's CRDs to {release}, or choose an older release"
            )
            yield Problem(release.option, text, rule="crd-older")

    def _live(self, kind: ServiceKind[Any, Any]) -> Json | None:
        """Return the CRD of a kind, None where it may not be read: then the API server says the same."""
        if kind.kind not in self._read:
            group = kind.api_version.partition("/")[0]
            reference = Reference(API_VERSION, KIND, "", f"{kind.plural}.{group}")
            try:
                self._read[kind.kind] = self._cluster.get(reference)
            except (Forbidden, KindMissing):
                self._read[kind.kind] = None
        return self._read[kind.kind]


def _is_below(path: str, others: frozenset[str]) -> bool:
    """Tell whether a field is below one of others."""
    above = path.rpartition(".")[0]
    return bool(above) and (above.removesuffix("[]") in others or _is_below(above, others))
