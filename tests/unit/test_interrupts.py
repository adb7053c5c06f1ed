# SPDX-License-Identifier: GPL-3.0-or-later
"""A signal to stop becomes an exception once; the process's own handlers come back."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from module_utils.interrupts import stoppable

NUMBERS = [signal.SIGTERM, signal.SIGINT]


@pytest.fixture(params=NUMBERS, ids=["SIGTERM", "SIGINT"])
def number(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    given: signal.Signals = request.param
    before = signal.getsignal(given)
    yield given
    signal.signal(given, before)


def test_signal_is_an_interrupt_and_its_handler_comes_back(number: signal.Signals) -> None:
    heard: list[int] = []

    def handler(got: int, _frame: object) -> None:
        heard.append(got)

    signal.signal(number, handler)
    with pytest.raises(KeyboardInterrupt), stoppable():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is handler
    assert heard == []


def test_second_signal_does_what_it_would_have_done(number: signal.Signals) -> None:
    heard: list[int] = []
    signal.signal(number, lambda got, _frame: heard.append(got))
    with stoppable():
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
    assert heard == [number]


def test_ignored_signal_stays_ignored(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)
    with stoppable():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is signal.SIG_IGN


def test_other_threads_leave_signals_alone(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    seen: list[object] = []

    def work() -> None:
        with stoppable():
            seen.append(signal.getsignal(number))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
