# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The live lab within `make test`: never longer than 75 minutes in all, and no failure that is the machine's."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import Mock

import pytest

from tests.lab.errors import LabError
from tests.live import __main__ as live
from tests.live import build, cgroups, conftest, host, needs, outside, turn
from tests.live.place import State
from tests.live.turn import Turn

WHOLE_RUN = 75 * 60.0
#: Minutes after its begin at which `make test` comes to the live lab.
ARRIVALS = (0, 20, 45, 55, 59, 61, 65, 74, 90)


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self, now: float) -> None:
        self.now = now

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock(1_000_000.0)
    monkeypatch.setattr(turn, "time", made)
    monkeypatch.setattr(turn, "is_alive", lambda dummy: True)
    return made


def build_that_ends(clock: Clock, at: float) -> Callable[[], list[str]]:
    return lambda: ["istio"] if clock.now < at else []


@pytest.mark.parametrize("start", [30.0, outside.START_WITHIN])
@pytest.mark.parametrize("built", [0, 50, 59.9, 200])
@pytest.mark.parametrize("arrival", ARRIVALS)
def test_whole_run_is_over_after_75_minutes_whatever_takes_as_long_as_it_may(
    clock: Clock, arrival: float, built: float, start: float
) -> None:
    began = clock.now
    mine = Turn(began, builder=1)
    clock.now += arrival * 60
    absent = mine.await_built(build_that_ends(clock, began + built * 60))
    if not absent and mine.is_worth_a_start:
        clock.now += start
        begun, clock.now = clock.now, mine.hangs_at
        assert clock.now - begun >= 180, "a start that no scenario could follow"
        clock.now += outside.END_WITHIN
    assert clock.now - began <= max(WHOLE_RUN, arrival * 60)


@pytest.mark.parametrize(("built", "scenarios"), [(50, 840), (58, 600)])
@pytest.mark.parametrize("arrival", [20, 45])
def test_build_is_waited_for_until_an_hour_is_over_and_scenarios_have_their_time_then(
    clock: Clock, arrival: float, built: float, scenarios: float
) -> None:
    began = clock.now
    mine = Turn(began, builder=1)
    clock.now += arrival * 60
    assert mine.await_built(build_that_ends(clock, began + built * 60)) == []
    assert clock.now - began == pytest.approx(built * 60, abs=2)
    assert mine.is_worth_a_start
    clock.now += 60
    assert scenarios <= mine.until - clock.now <= 840


def test_build_is_not_waited_for_beyond_an_hour(clock: Clock) -> None:
    began = clock.now
    clock.now += 45 * 60
    assert Turn(began, builder=1).await_built(lambda: ["istio"]) == ["istio"]
    assert clock.now - began == pytest.approx(60 * 60, abs=2)


@pytest.mark.parametrize("alive", [True, False])
def test_what_nobody_builds_is_not_waited_for(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, alive: bool
) -> None:
    monkeypatch.setattr(turn, "is_alive", lambda dummy: alive)
    began = clock.now
    assert Turn(began, builder=0 if alive else 1).await_built(lambda: ["istio"]) == ["istio"]
    assert clock.now == began


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A machine on which everything is built and nothing is started in truth."""
    monkeypatch.setattr(needs, "lacking", lambda: "")
    monkeypatch.setattr(needs, "lacking_for_pods", lambda: "")
    monkeypatch.setattr(build, "missing", list)
    monkeypatch.setattr(build, "build", lambda dummy: None)
    monkeypatch.setattr(host, "look", dict)
    monkeypatch.setattr(host, "namespaces", lambda dummy: {})
    monkeypatch.setattr(outside, "is_running", lambda dummy: False)
    monkeypatch.setattr(outside, "end", lambda dummy: None)
    monkeypatch.setattr(outside, "start", Mock(return_value=State("ready")))
    kept = {name: os.environ.get(name) for name in (turn.UNTIL, live.STARTED)}
    yield monkeypatch
    for name, text in kept.items():
        os.environ.pop(name, None)
        if text is not None:
            os.environ[name] = text


def in_make_test(monkeypatch: pytest.MonkeyPatch, minutes_ago: float = 0) -> None:
    for name, text in Turn(time.time() - minutes_ago * 60).environment.items():
        monkeypatch.setenv(name, text)


def raising(error: Exception, given: list[Any] | None = None) -> Callable[..., Any]:
    """A function that raises. given: gets what it is called with."""

    def called(*arguments: Any, **dummy: Any) -> Any:
        if given is not None:
            given.extend(arguments)
        raise error

    return called


#: Why a start fails that is no fault of what is tested.
NO_START = (
    LabError("it is not ready after 300 s"),
    LabError("kubelet ended by itself with code 1"),
    OSError(28, "No space left on device"),
    TimeoutError("the node's cgroups to empty: not within 30 s"),
)


@pytest.mark.parametrize("error", NO_START, ids=str)
def test_start_that_fails_is_told_and_fails_make_live_alone(
    machine: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    machine.setattr(outside, "start", raising(error))
    assert live.run([]) == 1
    assert f"FAILED start: it did not start: {error}" in capsys.readouterr().out
    in_make_test(machine)
    assert live.run([]) == 0
    said = capsys.readouterr().out
    assert f"not run: it did not start: {error}" in said
    assert said.rstrip().endswith("live: 1 passed, 0 failed, 1 skipped")


def test_start_that_comes_too_late_is_not_begun(
    machine: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    in_make_test(machine, minutes_ago=63)
    assert live.run([]) == 0
    said = capsys.readouterr().out
    assert "not run: make test has taken its time already" in said
    assert said.rstrip().endswith("live: 0 passed, 0 failed, 1 skipped")


def test_scenarios_that_hang_are_ended_in_time_and_are_a_failure(
    machine: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[Any] = []
    hang = raising(LabError("pytest did not end within 840 s"), given)
    machine.setattr(outside, "enter", hang)
    in_make_test(machine)
    assert live.run([]) == 1
    assert "FAILED scenarios: pytest did not end" in capsys.readouterr().out
    dummy, dummy, within = given
    assert within <= 840 + 240
    assert float(os.environ[turn.UNTIL]) <= time.time() + 840


def test_live_lab_that_somebody_uses_is_left_alone(
    machine: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.setattr(outside, "is_running", lambda dummy: True)
    machine.setattr(outside, "end", lambda dummy: pytest.fail("it was ended"))
    assert live.run([]) == 0
    assert "not run: a live lab runs already" in capsys.readouterr().out


@pytest.mark.parametrize(("ago", "runs"), [(1.0, False), (-60.0, True)])
def test_scenario_whose_turn_comes_after_the_time_of_all_is_skipped(
    monkeypatch: pytest.MonkeyPatch, ago: float, runs: bool
) -> None:
    monkeypatch.setenv(turn.UNTIL, str(time.time() - ago))
    if runs:
        conftest.pytest_runtest_setup()
    else:
        with pytest.raises(pytest.skip.Exception, match="time that all scenarios have"):
            conftest.pytest_runtest_setup()


def test_trial_that_hangs_is_a_reason_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "remove", lambda dummy: None)
    monkeypatch.setattr(subprocess, "run", raising(subprocess.TimeoutExpired("unshare", 60)))
    assert "took more than 60 s" in needs.lacking_for_pods()
