# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtimes that KServe's webhook would refuse are refused without it, before anything of their set is written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace
from tests.unit.sets.test_runtimes import runtime

from .support.bundles import config
from .support.entries import Entries
from .support.inference_services import prepare


@pytest.fixture
def place(lab: Cluster) -> Iterator[str]:
    """A namespace of this test alone, in a cluster that knows runtimes."""
    prepare(lab.client)
    with fresh_namespace(lab.client, "runtimes") as name:
        yield name


def test_a_runtime_that_clashes_with_one_of_the_cluster_is_refused_and_then_taken(
    entries: Entries, lab: Cluster, place: str
) -> None:
    client = lab.client
    client.create(runtime("theirs", namespace=place))
    definition = [config("one", place), runtime("ours", namespace=place)]
    given = {"name": "runtimes", "namespace": place}
    for check_mode in (True, False):
        result = entries.applyset(**given, definition=definition, check_mode=check_mode)
        assert result.get("failed")
        assert f"ServingRuntime {place}/ours" in result["msg"]
        assert "ServingRuntime theirs has priority 1" in result["msg"]
    assert client.get("v1", "ConfigMap", "one", place) is None
    other = [config("one", place), runtime("ours", 2, namespace=place)]
    assert not entries.applyset(**given, definition=other).get("failed")
    again = entries.applyset(**given, definition=other)
    assert not again.get("failed")
    assert not again["changed"]
