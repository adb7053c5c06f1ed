# SPDX-License-Identifier: GPL-3.0-or-later
"""How an InferenceGraph is called: inside the cluster, by the Service of its router. KServe makes no route for it.

Source: KServe v0.17.0, cmd/router/main.go.
"""

from __future__ import annotations

from ...kube.reader import Reader
from ..entrance import Backend, Entrance
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
    return Entrance(
        GRAPH,
        graph.name,
        backend=backend,
        closed=f"it can only be called inside the cluster, by {where}",
    )
