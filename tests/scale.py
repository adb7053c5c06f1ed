# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a machine reaches, worked out from measured costs: `python -m tests.scale --clusters 1000 --objects 3000`.

Each cluster is one task that waits for its API server and computes; as many are under way as there are forks, and what
computes shares the cores. The costs stand in the table of docs/scale.md.
"""

from __future__ import annotations

import argparse
import heapq
import re
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"


@dataclass(frozen=True, slots=True)
class Costs:
    """What a settled run costs. Seconds of one core, seconds of waiting, megabytes; per cluster without and per object."""

    start_cpu_s: float
    cluster_cpu_s: float
    object_cpu_s: float
    cluster_requests: float
    page_objects: float
    lists_at_a_time: float
    server_object_s: float
    parent_mb: float
    fork_mb: float
    object_mb: float

    @classmethod
    def of(cls, page: str) -> Costs:
        """Return the costs that a page's table holds, one row for each: name, value, where from."""
        rows = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", page, re.MULTILINE))
        return cls(**{name: float(value) for name, value in rows.items()})


@dataclass(frozen=True, slots=True)
class Plan:
    """Clusters of one size, and the machines that look after them. rtt_ms: how far the API servers are."""

    clusters: int
    objects: int
    forks: int
    cores: int
    memory_mb: int
    rtt_ms: float
    slices: int = 1


@dataclass(frozen=True, slots=True)
class Reach:
    """What one machine of a plan does: seconds for its share, memory, and what each API server sees."""

    seconds: float
    cpu_s: float
    memory_mb: float
    requests_per_cluster: int
    seats: int
    runs_out: str


def requests(costs: Costs, objects: int) -> int:
    """Return the requests of one settled cluster: a LIST per kind, and one for each further page of the objects."""
    kinds = costs.cluster_requests
    return int(kinds * max(1, ceil(objects / kinds / costs.page_objects)))


def waiting(costs: Costs, objects: int, rtt_ms: float) -> float:
    """Return the seconds that one cluster's task waits: round trips one behind the other, and the server's own work."""
    trips = ceil(requests(costs, objects) / costs.lists_at_a_time) + 2  # connecting and TLS
    return trips * rtt_ms / 1000 + objects * costs.server_object_s


def most_forks(plan: Plan, costs: Costs) -> int:
    """Return how many forks fit into a machine's memory."""
    each = costs.fork_mb + plan.objects * costs.object_mb
    return max(0, int((plan.memory_mb - costs.parent_mb) // each))


def reach(plan: Plan, costs: Costs) -> Reach:
    """Return what the busiest machine of a plan does."""
    tasks = ceil(plan.clusters / plan.slices)
    forks = min(plan.forks, tasks)
    cpu = costs.cluster_cpu_s + plan.objects * costs.object_cpu_s
    wait = waiting(costs, plan.objects, plan.rtt_ms)
    memory = costs.parent_mb + forks * (costs.fork_mb + plan.objects * costs.object_mb)
    seconds = costs.start_cpu_s + simulated(tasks, forks, plan.cores, wait, cpu)
    if memory > plan.memory_mb:
        short = f"memory: {most_forks(plan, costs)} forks fit"
    elif forks * cpu > plan.cores * (cpu + wait):
        short = "cores"
    elif forks < tasks:
        short = "forks"
    else:
        short = "nothing"
    seats = int(costs.lists_at_a_time * 10)  # a LIST of many objects is charged up to ten
    return Reach(
        seconds,
        costs.start_cpu_s + tasks * cpu,
        memory,
        requests(costs, plan.objects),
        seats,
        short,
    )


def simulated(tasks: int, forks: int, cores: int, wait: float, cpu: float) -> float:
    """Return when the last task ends. Each first waits, then computes; those that compute share the cores evenly."""
    now, left = 0.0, tasks
    arrivals: list[float] = []
    computing: list[float] = []  # seconds of a core that each still needs
    for dummy in range(min(forks, tasks)):
        heapq.heappush(arrivals, wait)
        left -= 1
    while arrivals or computing:
        share = min(1.0, cores / len(computing)) if computing else 0.0
        ends = now + min(computing) / share if computing else float("inf")
        then = min(ends, arrivals[0] if arrivals else float("inf"))
        computing = [need - (then - now) * share for need in computing]
        now = then
        while arrivals and arrivals[0] <= now:
            heapq.heappop(arrivals)
            computing.append(cpu)
        done = sum(need <= 1e-9 for need in computing)
        computing = [need for need in computing if need > 1e-9]
        for dummy in range(min(done, left)):
            heapq.heappush(arrivals, now + wait)
            left -= 1
    return now


def main() -> None:
    """Print what a plan comes to, for one machine and for more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=24)
    parser.add_argument("--objects", type=int, default=300, help="in each cluster")
    parser.add_argument("--forks", type=int, default=24)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--memory", type=int, default=4096, help="megabytes of each machine")
    parser.add_argument("--rtt", type=float, default=20.0, help="milliseconds to the API servers")
    given = parser.parse_args()
    costs = Costs.of(PAGE.read_text(encoding="utf-8"))
    plan = Plan(given.clusters, given.objects, given.forks, given.cores, given.memory, given.rtt)
    print("slices  seconds  cpu s  memory MB  runs out first")
    for slices in (1, 2, 4, 8, 16, 32):
        found = reach(replace(plan, slices=slices), costs)
        print(
            f"{slices:>6}  {found.seconds:>7.1f}  {found.cpu_s:>5.0f}  {found.memory_mb:>9.0f}  {found.runs_out}"
        )
    print(
        f"each API server: {found.requests_per_cluster} requests a run, at most {costs.lists_at_a_time:.0f} at a time,"
        f" {found.seats} seats at the most"
    )


if __name__ == "__main__":
    main()
