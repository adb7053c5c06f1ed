# SPDX-License-Identifier: GPL-3.0-or-later
"""After each step of a recorded sequence the children that we want are those that KServe's controller has left in the cluster."""

from __future__ import annotations

import pytest

from .differences_page import has_row
from .llm_world import LlmWorld, listed, sequences

#: Refused before any write: step → `Problem.rule`, which is the row of docs/differences.md.
REFUSED = {
    "SEQ-baseref-change/step-1": "preset",
    "SEQ-baseref-change/step-4": "preset",
    "SEQ-config-error-after-ready/step-2": "preset",
    "SEQ-delete-own-scheduler-sa/step-2": "service-account",
    "SEQ-service-account-late/step-1": "service-account",
}
#: The API server refuses what the controller wants, for a selector cannot change; only an engine shows what happens then (L3).
STUCK = [
    "SEQ-add-prefill-then-delete-deployment/step-2",
    "SEQ-add-prefill-then-delete-deployment/step-5",
    "SEQ-labels-immutable/step-2",
    "SEQ-labels-immutable/step-3",
    "SEQ-prefill/step-2",
    "SEQ-prefill/step-3",
]
#: Access that the controller leaves behind (L4).
STAYS = [
    "SEQ-add-prefill-then-delete-deployment/step-6",
    "SEQ-lws-status/step-8",
    "SEQ-pool-managed-to-ref/step-2",
    "SEQ-pool-managed-to-ref/step-3",
    "SEQ-stop-start-mn-pd/step-2",
]
#: The picker keeps the configuration that it was first given (L18).
KEPT = [
    "SEQ-add-prefill-then-delete-deployment/step-3",
    "SEQ-add-prefill-then-delete-deployment/step-4",
]
#: What is wrong with presets keeps the controller from a stop, and not us (L13).
STOPPED = ["SEQ-config-error-after-ready/step-3"]
#: Nothing of the router is made while a gateway is missing (L61).
LATE = ["SEQ-late-gateway-and-route/step-1", "SEQ-late-gateway-and-route/step-2"]
ROWS = {
    **REFUSED,
    **dict.fromkeys(STUCK, "L3"),
    **dict.fromkeys(STAYS, "L4"),
    **dict.fromkeys(KEPT, "L18"),
    **dict.fromkeys(LATE, "L61"),
    **dict.fromkeys(STOPPED, "L13"),
}


PLACES = sequences()
EQUAL = sorted(PLACES.keys() - ROWS.keys())


def found(place: str) -> list[str]:
    return LlmWorld.after(PLACES[place]).differences()


@pytest.mark.parametrize("place", EQUAL)
def test_children_after_a_step_are_the_controllers(place: str) -> None:
    assert found(place) == []


@pytest.mark.parametrize("place", REFUSED)
def test_what_cannot_be_built_is_refused(place: str) -> None:
    assert found(place) == [f"refused: {REFUSED[place]}"]


@pytest.mark.parametrize("place", STUCK)
def test_a_selector_that_cannot_change_is_what_we_want_changed(place: str) -> None:
    (rejected, *dummy) = listed(PLACES[place][-1] / "rejected.yaml")
    deployment = rejected["path"].rpartition("/")[2]
    assert any(f"/{deployment}: .spec.selector." in line for line in found(place))


@pytest.mark.parametrize("place", STAYS)
def test_access_goes_with_what_needs_it(place: str) -> None:
    lines = found(place)
    assert lines
    for line in lines:
        assert line.endswith(": not wanted by us")
        assert line.partition(" ")[0] in ("Role", "RoleBinding", "ClusterRoleBinding")


@pytest.mark.parametrize("place", KEPT)
def test_the_pickers_configuration_follows_the_service(place: str) -> None:
    (line,) = found(place)
    assert "demo-kserve-router-scheduler: .spec.template.spec.containers[0].args[" in line
    assert "prefill-filter" in line.partition("ours ")[2]


@pytest.mark.parametrize("place", LATE)
def test_a_missing_gateway_keeps_nothing_from_being_made(place: str) -> None:
    lines = found(place)
    assert lines
    assert all(line.endswith(": not made by the controller") for line in lines)


@pytest.mark.parametrize("place", STOPPED)
def test_a_stop_takes_everything_away_whatever_is_wrong_with_presets(place: str) -> None:
    lines = found(place)
    assert lines
    assert all(line.endswith(": not wanted by us") for line in lines)


@pytest.mark.parametrize("place", ROWS)
def test_every_difference_has_its_row(place: str) -> None:
    assert has_row(ROWS[place], place.partition("/")[0])


def test_every_step_of_every_sequence_is_looked_at() -> None:
    assert len({place.partition("/")[0] for place in PLACES}) == 18
    assert len(PLACES) == 78
    assert len(EQUAL) == 57
