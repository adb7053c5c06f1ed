# SPDX-License-Identifier: GPL-3.0-or-later
"""The trouble cases of tests/cases that need a cluster."""

from __future__ import annotations

import pytest

from tests.lab.client import Client
from tests.parity.matching import CASES, Seen, cases, faults, load

from .support.broken_pods import breaks_pods, meanwhile
from .support.entries import Entries

ALL = cases()
ON_A_CLUSTER = sorted(
    name
    for name, expected in ALL.items()
    if expected["run"]["needs"] == "cluster" and "task" in expected["run"]
)


@pytest.mark.parametrize("name", ON_A_CLUSTER)
def test_case_ends_as_it_should(
    name: str, entries: Entries, client: Client, bare_namespace: str
) -> None:
    folder, expected = CASES / name, ALL[name]
    (task,) = load(folder / expected["run"]["task"])
    arguments = task["modelops.inference.llmisvc_reconcile"]
    service = load(folder / arguments.pop("src")[0])
    service["metadata"]["namespace"] = bare_namespace
    waiting = dict(expected["run"]["pods"]["waiting"])
    assert waiting.pop("container") == "vllm"
    trouble = (False, waiting["reason"], waiting["message"])
    with meanwhile(breaks_pods(client, bare_namespace, lambda dummy: trouble)):
        result = entries.run(service, **arguments)
    assert list(faults(expected, Seen.of(result))) == []


def test_every_case_on_a_cluster_is_run() -> None:
    assert ON_A_CLUSTER == ["an-wait-image-pull"]
