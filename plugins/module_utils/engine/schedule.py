# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is next: the stages of each service one after another, services side by side, none before its turn."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..cluster.connection import Cluster

Act = Callable[[], None]
#: Services under way at a time for each connection. More would leave more of them half made where a run is cut short.
SERVICES_PER_CONNECTION = 2


@dataclass(slots=True)
class _Chain:
    """What is left of one service. running: acts of its present stage that have not ended."""

    stages: deque[deque[Act]]
    running: int = 0


class Schedule:
    """Hands out the acts of several chains: a stage begins when the one before has ended, and chains take turns.

    Chains begin in their order, `width` of them at a time, so that a long one cannot keep the others waiting.
    """

    def __init__(self, chains: Iterable[Sequence[Sequence[Act]]], width: int) -> None:
        filled = (deque(deque(stage) for stage in stages if stage) for stages in chains)
        self._waiting = deque(_Chain(stages) for stages in filled if stages)
        self._width = width
        self._ready: deque[_Chain] = deque()
        self._begun = 0
        self._running = 0
        self._halted = False
        self._turn = threading.Condition()
        self._admit()

    def run(self, cluster: Cluster) -> None:
        """Do everything. Where it is interrupted nothing more begins, and what is under way is waited for."""
        if not self._begun:
            return
        try:
            cluster.parallel([self._work] * cluster.concurrency)
        except BaseException:
            self._halt()
            raise

    def _work(self) -> None:
        while (given := self._next()) is not None:
            chain, act = given
            try:
                act()
            except BaseException:
                self._halted = True
                raise
            finally:
                self._end(chain)

    def _next(self) -> tuple[_Chain, Act] | None:
        with self._turn:
            while not self._ready and self._begun and not self._halted:
                self._turn.wait()
            if self._halted or not self._ready:
                return None
            chain = self._ready.popleft()
            act = chain.stages[0].popleft()
            if chain.stages[0]:
                self._ready.append(chain)
            chain.running += 1
            self._running += 1
            return chain, act

    def _end(self, chain: _Chain) -> None:
        with self._turn:
            chain.running -= 1
            self._running -= 1
            if not chain.running and not chain.stages[0]:
                chain.stages.popleft()
                if chain.stages:
                    self._ready.append(chain)
                else:
                    self._begun -= 1
                    self._admit()
            self._turn.notify_all()

    def _admit(self) -> None:
        while self._waiting and self._begun < self._width:
            self._ready.append(self._waiting.popleft())
            self._begun += 1

    def _halt(self) -> None:
        """Let nothing more begin, and return when what has begun has ended: each request has its own deadline."""
        with self._turn:
            self._halted = True
            self._turn.notify_all()
            while self._running:
                self._turn.wait()


def run_chains(cluster: Cluster, chains: Iterable[Sequence[Sequence[Act]]]) -> None:
    """Do the acts of several chains of stages over the connections of a cluster. An act that raises ends the run."""
    Schedule(chains, cluster.concurrency * SERVICES_PER_CONNECTION).run(cluster)
