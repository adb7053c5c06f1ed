# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes under a steady load of requests, and how many of these are lost. The engine is a stand-in, as each test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.long import often

from .asking import until
from .lab import PICKER, Live
from .load import Load
from .test_model_service import READY_WITHIN, ask

Json = dict[str, Any]
#: Sent while one change happens.
REQUESTS = often(200, long=2000)

#: By name: what the change makes of the service, and how many requests it may cost. A pod that ends closes connections on which a
#: request may be under way already; the operator's shape gives it no time before (docs/differences.md, W62).
CHANGES: dict[str, tuple[Json, int]] = {
    "one pod more": ({"decode": {"replicas": 3}}, 0),
    "one pod fewer": ({"decode": {"replicas": 1}}, REQUESTS // 20),
    "other arguments": ({"engine": {"args": ["--max-num-seqs=64"]}}, REQUESTS // 20),
    "another picker": ({"inferencePool": {"endpointPicker": {**PICKER, "replicas": 1}}}, 0),
}


@pytest.fixture(scope="module")
def namespace(shared_namespace: str) -> str:
    return shared_namespace


#: Pods go on answering for so long after they were told to end.
DRAINED: Json = {"settings": {"drain_seconds": 5}}


@pytest.mark.parametrize("change", ["one pod fewer", "other arguments"])
def test_change_under_load_costs_no_request_to_a_stand_in_engine_that_drains(
    live: Live, namespace: str, answered: Callable[[object], None], change: str
) -> None:
    load = changed_under_load(live, Entries(live.kubeconfig, DRAINED), namespace, "drained", change)
    answered(f"{change}, drained: {load}")
    assert not load.failed, str(load)


@pytest.mark.parametrize("change", CHANGES)
def test_change_under_load_costs_a_stand_in_engine_no_more_requests_than_its_shape_forces(
    live: Live, entries: Entries, namespace: str, answered: Callable[[object], None], change: str
) -> None:
    load = changed_under_load(live, entries, namespace, "steady", change)
    answered(f"{change}: {load}")
    assert len(load.failed) <= CHANGES[change][1], str(load)


def changed_under_load(
    live: Live, entries: Entries, namespace: str, name: str, change: str
) -> Load:
    """Change a service of two pods while it is asked, and return what came back."""
    before = live.model_service(name, namespace, decode={"replicas": 2})
    changed = CHANGES[change][0]
    after = {**before, "spec": {**before["spec"], **changed}}
    if "engine" in changed:
        after["spec"]["engine"] = {**before["spec"]["engine"], **changed["engine"]}
    entries.reconcile(before, wait=True, wait_timeout=READY_WITHIN)
    until(200, lambda: ask(before))
    with Load(lambda: ask(before)) as load:
        load.go_on_until(REQUESTS // 4)
        entries.reconcile(after, wait=True, wait_timeout=READY_WITHIN)
        load.go_on_until(REQUESTS)
    return load
