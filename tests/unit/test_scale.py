# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation of docs/scale.md: bounds that no schedule can beat, and resources that run out where they must."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench import scale
from tests.bench.runs import Json
from tests.scale import PAGE, Costs, Plan, most_forks, reach, requests, simulated

COSTS = Costs.of(PAGE.read_text(encoding="utf-8"))
PLAN = Plan(clusters=24, objects=300, forks=24, cores=2, memory_mb=4096, rtt_ms=20.0)


@given(
    tasks=st.integers(1, 60),
    forks=st.integers(1, 30),
    cores=st.integers(1, 8),
    wait=st.floats(0.01, 5),
    cpu=st.floats(0.01, 5),
)
def test_no_schedule_is_faster_than_its_work_and_none_idles(
    tasks: int, forks: int, cores: int, wait: float, cpu: float
) -> None:
    took = simulated(tasks, forks, cores, wait, cpu)
    rounds = -(-tasks // forks)
    slack = 1e-6 * took
    assert took >= max(wait + cpu, tasks * cpu / min(cores, forks), rounds * (wait + cpu)) - slack
    assert took <= rounds * wait + tasks * cpu + slack


def test_more_cores_and_more_slices_are_never_slower() -> None:
    times = [reach(replace(PLAN, cores=cores), COSTS).seconds for cores in (1, 2, 4, 64)]
    assert times == sorted(times, reverse=True)
    times = [reach(replace(PLAN, slices=slices), COSTS).seconds for slices in (1, 2, 4, 24)]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize(
    ("plan", "short"),
    [
        (PLAN, "cores"),
        (replace(PLAN, memory_mb=512), "memory"),
        (replace(PLAN, cores=64, forks=2), "forks"),
        (replace(PLAN, cores=64), "nothing"),
    ],
)
def test_what_runs_out_first_is_named(plan: Plan, short: str) -> None:
    assert reach(plan, COSTS).runs_out.startswith(short)


def test_forks_that_fit_are_those_that_take_no_more_than_the_memory() -> None:
    small = replace(PLAN, memory_mb=512)
    fits = most_forks(small, COSTS)
    assert reach(replace(small, forks=fits), COSTS).memory_mb <= 512
    assert reach(replace(small, forks=fits + 1), COSTS).memory_mb > 512


def test_requests_grow_by_pages_alone() -> None:
    kinds = int(COSTS.cluster_requests)
    assert requests(COSTS, 15) == requests(COSTS, 3000) == kinds
    assert requests(COSTS, kinds * 501) == 2 * kinds


def result(name: str, objects: int, cpu: float, rss: float) -> Json:
    ours = {"client_cpu_s": cpu, "server_cpu_s": 0.3, "peak_rss_mb": rss, "requests": 15}
    empty = {"client_cpu_s": 0.4, "peak_rss_mb": 60}
    return {
        "id": name,
        "rtt_ms": 0,
        "objects": objects,
        "ours": ours,
        "peers": {"empty play": empty},
    }


def test_costs_of_the_page_are_those_that_were_measured() -> None:
    measured = [
        result("noop-S", 10, 0.61, 64),
        result("noop-L", 3010, 3.61, 130),
        result("noop-XL", 16010, 5.0, 260),
    ]
    written = Costs.of(scale.page(PAGE.read_text(encoding="utf-8"), {"results": measured}))
    assert written == replace(
        COSTS,
        start_cpu_s=0.4,
        cluster_cpu_s=0.2,
        object_cpu_s=0.001,
        server_object_s=0.0001,
        parent_mb=60.0,
        fork_mb=100.0,
        object_mb=0.01,
    )


def test_pages_are_not_written_from_half_of_the_scenarios() -> None:
    with pytest.raises(KeyError):
        scale.page(PAGE.read_text(encoding="utf-8"), {"results": [result("noop-S", 10, 0.6, 64)]})
