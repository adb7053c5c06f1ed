# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages keep their order within a service, services do not wait for each other, and an interrupted run begins nothing more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.cluster.pool import Pool
from module_utils.engine.schedule import run_chains

Act = Callable[[], None]


class Threads:
    """The threads of a connection, without a connection."""

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self._pool = Pool(concurrency)

    def parallel(self, calls: Any, *expected: Any) -> Any:
        return self._pool.run(calls, expected)

    def close(self) -> None:
        self._pool.close()


def run(chains: list[list[list[Act]]], concurrency: int = 4) -> None:
    threads: Any = Threads(concurrency)
    try:
        run_chains(threads, chains)
    finally:
        threads.close()


@given(
    chains=st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=7),
    concurrency=st.integers(1, 6),
)
def test_every_act_is_done_once_and_no_stage_before_the_one_before(
    chains: list[list[int]], concurrency: int
) -> None:
    done: list[tuple[int, int, int]] = []
    lock = threading.Lock()

    def act(*place: int) -> None:
        with lock:
            done.append(cast("tuple[int, int, int]", place))

    run(
        [
            [[partial(act, chain, stage, n) for n in range(count)] for stage, count in enumerate(c)]
            for chain, c in enumerate(chains)
        ],
        concurrency,
    )
    expected = {
        (chain, stage, n)
        for chain, stages in enumerate(chains)
        for stage, count in enumerate(stages)
        for n in range(count)
    }
    assert set(done) == expected
    assert len(done) == len(expected)
    for chain in range(len(chains)):
        stages = [stage for each, stage, _n in done if each == chain]
        assert stages == sorted(stages)


def test_small_service_is_done_long_before_a_big_one_that_came_first() -> None:
    done: list[str] = []
    big = [[partial(done.append, "big")] * 100]
    small: list[list[Act]] = [[partial(done.append, "small")], [partial(done.append, "small")]]
    run([big, small], concurrency=1)
    assert [place for place, name in enumerate(done) if name == "small"] == [1, 3]


def test_service_that_waits_for_a_slow_object_holds_up_no_other() -> None:
    others = threading.Event()
    slow = [[lambda: cast("None", others.wait(20))], [lambda: None]]
    quick = [[lambda: None], [others.set]]
    run([slow, quick], concurrency=2)
    assert others.is_set()


def test_interrupt_begins_nothing_more_and_waits_for_what_is_under_way() -> None:
    begun, ended = threading.Event(), threading.Event()
    done: list[str] = []

    def under_way() -> None:
        begun.set()
        stopped.wait(20)
        done.append("under way")
        ended.set()

    stopped = threading.Event()

    class Interrupted(Threads):
        def parallel(self, calls: Any, *dummy: Any) -> Any:
            threading.Thread(target=calls[0]).start()
            begun.wait(20)
            threading.Timer(0.05, stopped.set).start()
            raise KeyboardInterrupt

    chains: list[list[list[Act]]] = [[[under_way], [partial(done.append, "next stage")]]]
    cluster: Any = Interrupted(2)
    with pytest.raises(KeyboardInterrupt):
        run_chains(cluster, chains)
    assert ended.is_set()
    assert done == ["under way"]


def test_bug_in_one_act_is_raised() -> None:
    def bug() -> None:
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        run([[[bug]], [[lambda: None]]])
