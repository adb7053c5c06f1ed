# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that stay and send requests to what goes: a graph, one of whose steps names an InferenceService."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, KindMissing
from ..kinds.registry import KINDS
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from ..kube.text import few

#: How many services a message names.
_NAMED = 3
#: The kinds of services that may be called by such a one.
_CALLED = frozenset({"InferenceService"})


def remaining_callers(cluster: Cluster, removed: Collection[Reference]) -> Iterator[Problem]:
    """Yield a warning for each service that is removed while others that stay send it requests. What may not be read is passed over."""
    called = {each for each in removed if each.kind in _CALLED}
    callers: dict[Reference, list[str]] = {}
    for key, kind in KINDS.items():
        for place in sorted({each.namespace for each in called}) if kind.leads_to else ():
            for live in _listed(cluster, *key, place):
                caller = Reference.of(live)
                named = set(kind.leads_to(live)) if kind.leads_to and caller not in removed else ()
                for service in called & set(named):
                    callers.setdefault(service, []).append(str(caller))
    for service, found in sorted(callers.items()):
        verb = "send" if len(found) > 1 else "sends"
        text = f"{few(sorted(found), _NAMED)} still {verb} requests to {service}, which will fail: take its steps out, or remove the graph, too"
        yield Problem("", text, "warning", "graph-service")


def _listed(cluster: Cluster, api_version: str, kind: str, namespace: str) -> Iterator[Json]:
    try:
        yield from cluster.list(api_version, kind, namespace=namespace).items
    except (KindMissing, Forbidden):
        return
