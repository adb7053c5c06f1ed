# SPDX-License-Identifier: GPL-3.0-or-later
"""From one InferenceGraph to everything it wants to exist.

Where the controller waits with all children until the services of the steps are ready, we make them in the same run.
Source: KServe pkg/controller/v1alpha1/inferencegraph/controller.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ...kube.intent import Child, Intent, present
from ...kube.reader import Reader
from ..children import Children, Made
from ..peers import NOBODY, Peers
from .child_kinds import DEPLOYMENT, HPA, SERVICE
from .children.deployment import deployment
from .children.horizontal_pod_autoscaler import horizontal_pod_autoscaler
from .children.service import service
from .resolve import resolve
from .resolved import Resolved
from .settings import Settings
from .spec import InferenceGraph

Build: TypeAlias = Callable[[Resolved], "Child | None"]

#: In the controller's order.
CHILDREN: Children[Build] = Children(
    Made(deployment, DEPLOYMENT),
    Made(service, SERVICE),
    Made(horizontal_pod_autoscaler, HPA),
)


def compile(  # noqa: A001
    graph: InferenceGraph,
    settings: Settings,
    reader: Reader,
    peers: Peers = NOBODY,
) -> Intent:
    """Return the graph's intent; a stopped one wants nothing. Raises InputError with everything that keeps it from being built."""
    resolved = resolve(graph, settings, reader, peers)
    wanted: tuple[Child, ...] = ()
    if not graph.stopped:
        wanted = present(build(resolved) for build in CHILDREN.at(settings.release))
    return Intent(parent=graph.document, children=wanted, basis=resolved, nothing=graph.stopped)
