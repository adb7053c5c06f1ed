# SPDX-License-Identifier: GPL-3.0-or-later
"""What is held of an object that was listed: all, unless it is proved and nothing is to be told about it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from module_utils.engine import SETTLED_ANNOTATION
from module_utils.engine.streaming_proof import Prover

from .recorded import cases

CASE = next(case for case in cases("service") if case.desired.reference.kind == "Deployment")
UIDS = {CASE.desired.service: CASE.uid}


def _kept(live: Any, **uids: Any) -> tuple[Any, bool]:
    prover = Prover([CASE.desired], uids.get("uids", UIDS))
    return prover.keep(live), CASE.desired.reference in prover.proved


def test_of_a_proved_object_its_state_is_kept_and_its_bulk_is_not() -> None:
    kept, proved = _kept(CASE.live)
    assert proved
    assert "template" not in kept["spec"]
    assert kept["spec"]["selector"] == CASE.live["spec"]["selector"]
    assert kept.get("status") == CASE.live.get("status")
    assert kept["metadata"]["uid"] == CASE.live["metadata"]["uid"]
    managers = [entry["manager"] for entry in CASE.live["metadata"]["managedFields"]]
    assert [entry["manager"] for entry in kept["metadata"]["managedFields"]] == managers
    assert not any("fieldsV1" in entry for entry in kept["metadata"]["managedFields"])


def test_object_that_was_changed_is_kept_whole() -> None:
    live = deepcopy(CASE.live)
    live["spec"]["template"]["metadata"]["labels"] = {}
    assert _kept(live) == (live, False)


def test_object_of_a_service_whose_parent_is_not_there_is_kept_whole() -> None:
    assert _kept(CASE.live, uids={}) == (CASE.live, False)


def test_object_that_the_server_keeps_otherwise_is_kept_whole() -> None:
    live = deepcopy(CASE.live)
    live["metadata"]["annotations"][SETTLED_ANNOTATION] = "x"
    assert _kept(live) == (live, False)


def test_object_that_a_list_shows_twice_counts_as_it_is_in_the_end() -> None:
    prover = Prover([CASE.desired], UIDS)
    prover.keep(CASE.live)
    changed = deepcopy(CASE.live)
    changed["spec"]["template"]["metadata"]["labels"] = {}
    assert prover.keep(changed) is changed
    assert not prover.proved
    prover.keep(CASE.live)
    marked = deepcopy(CASE.live)
    marked["metadata"]["annotations"][SETTLED_ANNOTATION] = "x"
    assert prover.keep(marked) is marked
    assert not prover.proved
