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

from .asking import Answer, until
from .lab import PICKER, Live
from .load import Load
from .test_model_service import READY_WITHIN, ask

Json = dict[str, Any]
#: Sent while one change happens.
REQUESTS = often(200, long=2000)


def pods_more(spec: Json, count: int) -> Json:
    return {"decode": {**spec["decode"], "replicas": spec["decode"]["replicas"] + count}}


def other_arguments(spec: Json) -> Json:
    return {"engine": {**spec["engine"], "args": ["--max-num-seqs=64"]}}


def another_picker(spec: Json) -> Json:
    """Picker pods of another template, so that the one that runs is replaced."""
    requests = {**PICKER["resources"]["requests"], "memory": "96Mi"}
    picker = {**PICKER, "resources": {**PICKER["resources"], "requests": requests}}
    return {"inferencePool": {**spec["inferencePool"], "endpointPicker": picker}}


#: By name: what the change makes of a service's spec, and how many requests it may cost. A pod that ends closes connections on which a
#: request may be under way already; the operator's shape gives it no time before (docs/differences.md, W62).
CHANGES: dict[str, tuple[Callable[[Json], Json], int]] = {
    "one pod more": (lambda spec: pods_more(spec, 1), 0),
    "one pod fewer": (lambda spec: pods_more(spec, -1), REQUESTS // 20),
    "other arguments": (other_arguments, REQUESTS // 20),
    "another picker": (another_picker, 0),
}
#: Pods keep answering for so long after they were told to end.
DRAINED: Json = {"settings": {"drain_seconds": 5}}


class Changed:
    """A service of two pods, as the last change left it, so that nothing is changed back between two of them."""

    def __init__(self, live: Live, entries: Entries, name: str, namespace: str) -> None:
        self._entries = entries
        self._service = live.model_service(name, namespace, decode={"replicas": 2})

    def under_load(self, change: str) -> Load:
        """Make one change while the service is asked, and return what came back."""
        self._reconcile()
        until(200, self._ask)
        spec = self._service["spec"]
        with Load(self._ask) as load:
            load.go_on_until(REQUESTS // 4)
            self._service = {**self._service, "spec": {**spec, **CHANGES[change][0](spec)}}
            result = self._reconcile()
            load.go_on_until(REQUESTS)
        assert result["changed"], result
        return load

    def _reconcile(self) -> Json:
        return self._entries.reconcile(self._service, wait=True, wait_timeout=READY_WITHIN)

    def _ask(self) -> Answer:
        return ask(self._service)


@pytest.fixture(scope="module")
def steady(live: Live, entries: Entries, shared_namespace: str) -> Changed:
    return Changed(live, entries, "steady", shared_namespace)


@pytest.fixture(scope="module")
def drained(live: Live, shared_namespace: str) -> Changed:
    return Changed(live, Entries(live.kubeconfig, DRAINED), "drained", shared_namespace)


@pytest.mark.parametrize("change", ["other arguments", "one pod fewer"])
def test_change_under_load_costs_no_request_to_a_stand_in_engine_that_drains(
    drained: Changed, answered: Callable[[object], None], change: str
) -> None:
    load = drained.under_load(change)
    answered(f"{change}, drained: {load}")
    assert not load.failed, str(load)


@pytest.mark.parametrize("change", CHANGES)
def test_change_under_load_costs_a_stand_in_engine_no_more_requests_than_its_shape_forces(
    steady: Changed, answered: Callable[[object], None], change: str
) -> None:
    load = steady.under_load(change)
    answered(f"{change}: {load}")
    assert len(load.failed) <= CHANGES[change][1], str(load)
