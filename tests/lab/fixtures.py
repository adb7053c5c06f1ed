# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""pytest fixtures of the lab: `control_plane`, `namespace`, `bare_namespace`, `proxy`.

The conftest of a folder imports them by name, and `pytest_sessionfinish` with them.

With pytest-xdist all workers share one control plane: it costs 700 MB and seconds of both cores, and tests are kept
apart by their namespaces. The first worker starts it, for the life of the process that runs the workers; that process
ends it when the session is over, and its supervisor does should the process be killed.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from . import paths, state
from .client import Client
from .cluster import Cluster
from .control_plane import ControlPlane, end
from .crd_sources import MODEL_SERVICE
from .existing import lab_from_environment
from .files import locked
from .proxy import Proxy

NODES = "gpu"
#: CRDs from the start on. That of LeaderWorkerSets is one of them, so that their manager runs.
CRDS = (*MODEL_SERVICE, "lws")


_SHARED = "xdist-"


@pytest.fixture(scope="session")
def control_plane() -> Iterator[Cluster]:
    """A cluster with the GPU fleet, the CRDs that ModelService needs and LeaderWorkerSets: the lab's, or that of LAB_KUBECONFIG."""
    brought = lab_from_environment()
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if brought:
        yield brought
        brought.close()
    elif run and "PYTEST_XDIST_WORKER" in os.environ:
        yield _shared(run)
    else:
        with ControlPlane(nodes=NODES, crds=CRDS) as own:
            yield own


def _shared(run: str) -> ControlPlane:
    plane = ControlPlane(f"{_SHARED}{run}", nodes=NODES, crds=CRDS, owner=os.getppid())
    with locked(paths.state() / ".shared.lock"):
        found = plane.state
        if found is None or found.phase in ("failed", "dead"):
            plane.start()
    return plane


def pytest_sessionfinish() -> None:
    """End the shared control plane, in the process that runs the workers."""
    for place, found in state.everyone():
        if found.owner == os.getpid() and place.name.startswith(_SHARED):
            end(place)


@contextmanager
def fresh_namespace(client: Client, prefix: str = "test") -> Iterator[str]:
    """A new namespace, usable for pods at once; deleted at the end without waiting."""
    name = f"{prefix}-{uuid.uuid4().hex[:8]}"
    manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    client.create(manifest)
    try:
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": name},
        }
        client.wait_for(account, lambda found: found is not None)
        yield name
    finally:
        client.delete(manifest)


@pytest.fixture
def namespace(control_plane: Cluster) -> Iterator[str]:
    """A namespace of this test alone."""
    with fresh_namespace(control_plane.client) as name:
        yield name


@pytest.fixture
def bare_namespace(control_plane: Cluster) -> Iterator[str]:
    """A namespace in which the lab's stages set no status: gateways, routes and pools stay as they were written."""
    with fresh_namespace(control_plane.client, "bare") as name:
        yield name


@pytest.fixture
def proxy(control_plane: Cluster) -> Iterator[Proxy]:
    """A counting proxy in front of the control plane, counting from zero."""
    with Proxy(control_plane) as counting:
        yield counting
