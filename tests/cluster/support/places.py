# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of one file of tests: a cluster that knows what its services need, and a namespace of each test alone.

`client = knowing(prepare)` and `place = own_namespace("llm")` at the head of a file; `place` lies in the cluster of that file's `client`.
`client, entries = on("own_lab")` are those of another cluster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.lab.fixtures import Cluster, fresh_namespace
from tests.tools.example_cluster import add_gateway, control_plane

from .entries import Entries


def knowing(*prepare: Callable[[Client], object]) -> Any:
    """Return the fixture `client`: another program's view of the lab, made ready once for a file."""

    @pytest.fixture(scope="module")
    def client(lab: Cluster) -> Client:
        for each in prepare:
            each(lab.client)
        return lab.client

    return client


def on(plane: str) -> tuple[Any, Any]:
    """Return the fixtures `client` and `entries`, for the cluster of another fixture."""

    @pytest.fixture
    def client(request: pytest.FixtureRequest) -> Client:
        found: Client = request.getfixturevalue(plane).client
        return found

    @pytest.fixture
    def entries(request: pytest.FixtureRequest) -> Entries:
        return Entries(request.getfixturevalue(plane).kubeconfig)

    return client, entries


def own_namespace(prefix: str = "test") -> Any:
    """Return the fixture `place`: a namespace that is gone after the test. prefix: `bare` for one in which the lab plays no gateway."""

    @pytest.fixture
    def place(client: Client) -> Iterator[str]:
        with fresh_namespace(client, prefix) as name:
            yield name

    return place


def plane_of_examples(name: str) -> Any:
    """Return the fixture `plane`: a control plane with the gateway of the examples, as a reader has one."""

    @pytest.fixture(scope="module")
    def plane() -> Iterator[ControlPlane]:
        place = control_plane(f"{name}-{os.getpid()}", os.getpid(), print)
        place.start()
        add_gateway(place.client)
        yield place
        place.stop()

    return plane
