# SPDX-License-Identifier: GPL-3.0-or-later
"""How an InferenceGraph is called: inside the cluster, by the Service of its router; Knative makes a route, KServe none.

Source: KServe v0.17.0, cmd/router/main.go.
"""

from __future__ import annotations

from ...kube.reader import Reader
from ..entrance import Backend, Entrance
from ..kserve.modes import KNATIVE
from ..protocols import GRAPH
from .children.service import PORT
from .resolved import Resolved
from .settings import Settings


def entrance(resolved: Resolved, settings: Settings, reader: Reader) -> Entrance:  # noqa: ARG001
    """Return how the graph is called. What its first node asks for decides what a request says."""
    graph = resolved.graph
    if graph.stopped:
        return Entrance(None, graph.name, closed="the graph is stopped")
    backend = Backend(graph.name, graph.namespace, PORT)
    where = backend.url(settings.cluster_domain)
    inside = f"it can only be called inside the cluster, by {where}"
    closed = "" if resolved.mode == KNATIVE else inside
    return Entrance(GRAPH, graph.name, backend=backend, closed=closed)
