# SPDX-License-Identifier: GPL-3.0-or-later
"""From one InferenceGraph to everything it wants to exist.

Where the controller waits with all children until the services of the steps are ready, we make them in the same run.
Source: KServe pkg/controller/v1alpha1/inferencegraph/{controller,knative_reconciler}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ...kube.intent import Child, Intent, present
from ...kube.reader import Reader
from ..children import Children, Made
from ..kserve.modes import KNATIVE
from ..peers import NOBODY, Peers
from .child_kinds import DEPLOYMENT, HPA, KNATIVE_SERVICE, SERVICE
from .children.deployment import deployment
from .children.horizontal_pod_autoscaler import horizontal_pod_autoscaler
from .children.knative_service import knative_service
from .children.service import service
from .resolve import resolve
from .resolved import Resolved
from .settings import Settings
from .spec import InferenceGraph

Build: TypeAlias = Callable[[Resolved], "Child | None"]

#: By mode, in the controller's order.
_STANDARD: Children[Build] = Children(
    Made(deployment, DEPLOYMENT),
    Made(service, SERVICE),
    Made(horizontal_pod_autoscaler, HPA),
)
_KNATIVE: Children[Build] = Children(Made(knative_service, KNATIVE_SERVICE))
CHILDREN: Children[Build] = Children(*_STANDARD.made, *_KNATIVE.made)


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
        made = _KNATIVE if resolved.mode == KNATIVE else _STANDARD
        wanted = present(build(resolved) for build in made.at(settings.release))
    return Intent(parent=graph.document, children=wanted, basis=resolved, nothing=graph.stopped)
