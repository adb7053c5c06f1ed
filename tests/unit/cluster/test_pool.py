# SPDX-License-Identifier: GPL-3.0-or-later
"""The threads of a connection: bounded, ended, and no obstacle to an interrupt."""

from __future__ import annotations

import signal
import threading

import pytest

from module_utils.cluster.pool import Pool


def test_never_more_than_its_size_at_a_time() -> None:
    lock = threading.Lock()
    running, most = 0, 0
    together = threading.Barrier(3)

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait(timeout=10)
        with lock:
            running -= 1

    pool = Pool(3)
    pool.run([work] * 9)
    pool.close()
    assert most == 3


def test_an_interrupt_is_raised_and_what_has_not_begun_is_dropped() -> None:
    done: list[int] = []
    blocked = threading.Event()
    main = threading.main_thread().ident
    assert main is not None
    # Whoever starts the tests in the background has their interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        signal.pthread_kill(main, signal.SIGINT)
        blocked.wait(10)

    pool = Pool(2)
    with pytest.raises(KeyboardInterrupt):
        pool.run([interrupt, lambda: blocked.wait(10), *[lambda: done.append(1)] * 500])
    blocked.set()
    pool.close()
    signal.signal(signal.SIGINT, before)
    assert done == []


@pytest.mark.parametrize("size", [1, 3])
def test_only_an_expected_exception_is_a_result(size: int) -> None:
    done: list[int] = []

    def fail() -> None:
        raise KeyError("expected")

    calls = [fail, *[lambda: done.append(1)] * 5]
    pool = Pool(size)
    first, *others = pool.run(calls, (KeyError, OSError))
    assert (type(first), others) == (KeyError, [None] * 5)
    with pytest.raises(KeyError, match="expected"):
        pool.run(calls, (OSError,))
    pool.close()
    assert len(done) == 10


def test_no_thread_is_left_after_close() -> None:
    before = set(threading.enumerate())
    pool = Pool(4)
    pool.run([lambda: None] * 20)
    pool.close()
    assert set(threading.enumerate()) <= before
