# SPDX-License-Identifier: GPL-3.0-or-later
"""Killing runs at their requests: one at a position, and every flow of something at one position after the other."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.lab.cluster import Cluster
from tests.lab.faults import ALWAYS, BEFORE, Fault, Moment, anything, hang_up
from tests.lab.proxy import ConnectionAbort, Proxy
from tests.lab.proxy_record import Record

from .processes import Running

#: Seconds that the Lease of a killed run lasts.
LEASE_S = 1.0


def is_killed(lab: Cluster, moment: Moment, position: int, *services: Json, **options: Any) -> bool:
    """Begin a run and kill it at a request; false where it was over before. services, options: see `Running`."""
    begun: list[Running] = []

    async def kill(_request: Record) -> None:
        begun[0].signal(signal.SIGKILL)
        raise ConnectionAbort

    strike = Fault(anything, kill, moment=moment, skip=position - 1)
    dead = Fault(lambda dummy: strike.struck, hang_up, times=ALWAYS)
    with Proxy(lab, hooks=[dead, strike], keep_bodies=False) as proxy:
        begun.append(Running(proxy.kubeconfig, *services, lease=LEASE_S, **options))
        result = begun[0].result()
    if strike.struck and result is None:
        return True
    assert result is not None
    assert not result.get("failed"), result
    return False


@dataclass(frozen=True)
class Positions:
    """Which requests are tried. at_a_time: lives side by side. step: every so many. most: no run takes more."""

    at_a_time: int
    step: int
    most: int

    def tried(
        self,
        flows: Sequence[str],
        moment: Moment,
        live: Callable[[Mapping[str, int]], Mapping[str, int]],
    ) -> dict[str, int]:
        """Live one life after the other, each flow killed at a position, until all are over before; return how often each was killed.

        live: from the position of each flow to those flows that were over before it.
        """
        tried = dict.fromkeys(flows, 0)
        position = 1 + (0 if moment == BEFORE else self.step // 2)
        with ThreadPoolExecutor(self.at_a_time) as pool:
            while position < self.most:
                wave = [
                    {flow: position + self.step * turn + shift for shift, flow in enumerate(flows)}
                    for turn in range(self.at_a_time)
                ]
                ended = list(pool.map(live, wave))
                for flow in flows:
                    tried[flow] += sum(flow not in each for each in ended)
                if all(len(each) == len(flows) for each in ended):
                    return tried
                position += self.step * self.at_a_time
        pytest.fail("the runs do not end")
