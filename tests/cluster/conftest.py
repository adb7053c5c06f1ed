# SPDX-License-Identifier: GPL-3.0-or-later
"""One control plane for all tests of this folder, each in namespaces of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from module_utils.cluster import calls
from module_utils.cluster.connection import connect
from module_utils.cluster.timing import Timing
from module_utils.kinds.model_service.kind import MODEL_SERVICE
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE as MODEL_SERVICE_KINDS

# pylint: disable-next=unused-import  # pytest finds fixtures by their names here
from tests.lab.fixtures import (  # noqa: F401
    bare_namespace,
    control_plane,
    fresh_namespace,
    namespace,
    proxy,
    pytest_sessionfinish,
)
from tests.lab.proxy import Proxy

from .support.disturbed import Swing
from .support.engine import Engine, engine
from .support.entries import Entries
from .support.playbooks import Playbooks


@pytest.fixture(scope="session")
def lab(control_plane: Cluster) -> Cluster:  # noqa: F811
    """The control plane, with the kind ModelService installed."""
    crds.install(control_plane.client, [MODEL_SERVICE.crd()])
    return control_plane


@pytest.fixture(scope="session")
def swing(lab: Cluster) -> Iterator[Swing]:
    """A service that swings between two specs, for tests that disturb it on the way."""
    with fresh_namespace(lab.client, "bare") as name, Swing(lab, name, "chat") as made:
        yield made


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that hardly pause before a repeat of their own accord, and whose pages hold one object."""
    hasty = replace(Timing(), random=lambda: 0.02)
    monkeypatch.setitem(connect.__kwdefaults__, "timing", hasty)
    monkeypatch.setattr(calls, "PAGE", "1")


@pytest.fixture(scope="session")
def own_lab() -> Iterator[ControlPlane]:
    """A second control plane without nodes, for tests that others would notice: kinds come and go, a controller runs."""
    with ControlPlane(nodes="none", crds=[*MODEL_SERVICE_KINDS, MODEL_SERVICE.crd()]) as plane:
        yield plane


@pytest.fixture
def entries(lab: Cluster) -> Entries:
    """The modules, run by the administrator."""
    return Entries(lab.kubeconfig)


@pytest.fixture
def made(lab: Cluster, namespace: str) -> Iterator[Engine]:  # noqa: F811
    """The engine in a namespace of this test alone."""
    with engine(lab.kubeconfig, namespace) as running:
        yield running


@pytest.fixture
def counted(lab: Cluster, proxy: Proxy) -> Entries:  # noqa: ARG001, F811
    """The modules, run through the counting proxy."""
    return Entries(proxy.kubeconfig)


@pytest.fixture
def playbooks(lab: Cluster, tmp_path: Path) -> Playbooks:
    """The playbooks, run by the administrator of the lab."""
    return Playbooks(tmp_path, lab.kubeconfig)


@pytest.fixture(scope="session")
def lab_client(lab: Cluster) -> Client:
    """Another program's view of the cluster, for fixtures that outlive a test."""
    return lab.client


@pytest.fixture
def client(lab: Cluster) -> Client:
    """Another program's view of the cluster."""
    return lab.client


@pytest.fixture
def other_namespace(lab: Cluster) -> Iterator[str]:
    """A second namespace of this test alone."""
    with fresh_namespace(lab.client, "other") as name:
        yield name
