# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The figures that are wanted, and docs/performance.md made from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .runs import Json

Results = Mapping[tuple[str, int], Json]
K8S = "kubernetes.core.k8s"


@dataclass(frozen=True, slots=True)
class Figure:
    """One wanted figure. of: takes it from the results, and raises KeyError where it was not measured.

    at_least: more is better; otherwise less is.
    """

    name: str
    unit: str
    target: float
    stretch: float | None
    of: Callable[[Results], float]
    at_least: bool = False

    def reached(self, value: float, bound: float) -> bool:
        """Whether a value is as good as a bound."""
        return value >= bound if self.at_least else value <= bound


def _ours(name: str, figure: str, rtt: int = 0) -> Callable[[Results], float]:
    return lambda results: float(results[name, rtt]["ours"][figure])


def _ratio(name: str, peer: str, figure: str = "task_s") -> Callable[[Results], float]:
    """How many times ours the peer's figure is."""

    def of(results: Results) -> float:
        result = results[name, 0]
        return float(result["peers"][peer][figure]) / float(result["ours"][figure])

    return of


def _compile_ms(name: str) -> Callable[[Results], float]:
    return lambda results: 1000 * float(results[name, 0]["ours"]["compile_s"])


_MORE = {"at_least": True}
FIGURES = (
    Figure("P1 no-op L, requests", "", 30, 16, _ours("noop-L", "requests")),
    Figure("P2 no-op L, writes", "", 0, 0, _ours("noop-L", "writes")),
    Figure("P3 no-op L, in the task", "s", 2.5, 1.0, _ours("noop-L", "task_s")),
    Figure("P3 the same, 20 ms away", "s", 3.0, 1.2, _ours("noop-L", "task_s", 20)),
    Figure("P3 times faster than kubernetes.core.k8s", "x", 20, 30, _ratio("noop-L", K8S), **_MORE),
    Figure("P4 no-op L, whole play", "s", 5.0, 2.5, _ours("noop-L", "wall_s")),
    Figure("P5 create L, of the ceiling", "", 0.8, 0.95, _ratio("create-L", "ceiling"), **_MORE),
    Figure("P5 create M, of the ceiling", "", 0.8, 0.95, _ratio("create-M", "ceiling"), **_MORE),
    Figure("P6 one drifted field in L, writes", "", 1, 1, _ours("one-child-L", "writes")),
    Figure("P6 one drifted field in L, in the task", "s", 3.0, 1.5, _ours("one-child-L", "task_s")),
    Figure(
        "P7 one settled service, above an empty play", "s", 0.4, 0.12, _ours("noop-S", "overhead_s")
    ),
    Figure("P8 loading the action, CPU", "s", 0.06, 0.04, _ours("load", "import_cpu_s")),
    Figure("P9 deciding about a Deployment", "us", 250, 100, _ours("decide", "deployment_us")),
    Figure("P9 deciding about an object of 3 kB", "us", 100, 40, _ours("decide", "small_us")),
    Figure("P10 no-op XL, peak memory", "MB", 250, 150, _ours("noop-XL", "peak_rss_mb")),
    Figure("P11 24 clusters, whole play", "s", 15, 6, _ours("clusters", "wall_s", 20)),
    Figure(
        "P12 readiness seen after the status, p95", "s", 0.5, 0.1, _ours("ready-delay", "p95_s")
    ),
    Figure(
        "P13 CPU of the API server, kubectl / ours",
        "x",
        10,
        50,
        _ratio("noop-L", "kubectl", "server_cpu_s"),
        **_MORE,
    ),
    Figure(
        "a settled bundle of 400 objects, requests", "", 40, None, _ours("bundle-noop", "requests")
    ),
    Figure("the same, writes", "", 0, None, _ours("bundle-noop", "writes")),
    Figure(
        "the same, requests of kubernetes.core.k8s in a loop / ours",
        "x",
        5,
        None,
        _ratio("bundle-noop", "loop of kubernetes.core.k8s", "requests"),
        **_MORE,
    ),
    Figure(
        "its installation, requests of kubernetes.core.k8s in a loop / ours",
        "x",
        5,
        None,
        _ratio("bundle-create", "loop of kubernetes.core.k8s", "requests"),
        **_MORE,
    ),
    Figure("compiling one ModelService", "ms", 1.5, None, _compile_ms("compile")),
    Figure("compiling one LLMInferenceService", "ms", 5, None, _compile_ms("compile-llm")),
    Figure("compiling one InferenceService", "ms", 5, None, _compile_ms("compile-isvc")),
    Figure(
        "100 settled LLMInferenceServices, requests", "", 20, None, _ours("noop-llm", "requests")
    ),
    Figure("the same, writes", "", 0, None, _ours("noop-llm", "writes")),
    Figure("100 settled InferenceServices, requests", "", 20, None, _ours("noop-isvc", "requests")),
    Figure("the same, writes", "", 0, None, _ours("noop-isvc", "writes")),
    Figure(
        "fit on 1,000 nodes with 10,000 pods, without the LISTs",
        "s",
        1.5,
        None,
        _ours("fit-1000", "after_lists_s"),
    ),
    Figure("the same, peak memory", "MB", 150, None, _ours("fit-1000", "peak_rss_mb")),
    Figure("one check of a picker configuration", "s", 0.002, None, _ours("epp-check", "check_s")),
    Figure(
        "the checks of one new service, CPU", "s", 0.025, None, _ours("service-checks", "check_s")
    ),
)

HEAD = """# Performance

`make bench` writes this page; change `tests/bench/figures.py`, not the page. Sizes: S is one ModelService, M is 20 with
about 300 objects, L is 200 with about 3,000, XL is 1,000 with about 15,000; llm and isvc are 100 services of a kind of
KServe. The ceiling is a bare loop over 8 connections that sends exactly the same writes, including custom resources and
statuses. "Task" is the time between a task's start and its result, "play" a whole `ansible-playbook`. Each figure is
the median of its runs, taken in turn with the peers'. A proxy counts the requests; writes of the Lease do not count.
"""


def page(document: Json) -> str:
    """Return docs/performance.md."""
    results = by_id(document)
    machine = document["machine"]
    place = f"{machine['cpus']} CPUs, {machine['system']}, Python {machine['python']}"
    lines = [HEAD, f"Measured {document['when']} on {place}.", "", "## Targets and results", ""]
    lines += _table(
        ("figure", "measured", "target", "stretch", ""),
        [_row(figure, results) for figure in FIGURES],
    )
    lines += ["", "## Compared with other tools", ""]
    lines += _table(
        (
            "scenario",
            "who",
            "runs",
            "play, s",
            "task, s",
            "client CPU, s",
            "API server CPU, s",
            "memory, MB",
            "requests",
            "writes",
        ),
        [row for result in document["results"] for row in _peer_rows(result)],
    )
    return "\n".join(lines) + "\n"


def by_id(document: Json) -> Results:
    """Return the results by id and round-trip time."""
    return {(result["id"], result["rtt_ms"]): result for result in document["results"]}


def _row(figure: Figure, results: Results) -> tuple[str, ...]:
    unit = f" {figure.unit}" if figure.unit else ""
    wanted = f"{'>=' if figure.at_least else '<='} {figure.target:g}{unit}"
    stretch = "" if figure.stretch is None else f"{figure.stretch:g}{unit}"
    try:
        value = figure.of(results)
    except KeyError:
        return figure.name, "not measured", wanted, stretch, ""
    verdict = "missed"
    if figure.stretch is not None and figure.reached(value, figure.stretch):
        verdict = "stretch"
    elif figure.reached(value, figure.target):
        verdict = "reached"
    return figure.name, f"{value:.3g}{unit}", wanted, stretch, verdict


def _peer_rows(result: Json) -> list[tuple[str, ...]]:
    name = result["id"] + (f", {result['rtt_ms']} ms away" if result["rtt_ms"] else "")
    keys = (
        "runs",
        "wall_s",
        "task_s",
        "client_cpu_s",
        "server_cpu_s",
        "peak_rss_mb",
        "requests",
        "writes",
    )
    contestants = {"ours": result["ours"], **result["peers"]}
    return [
        (name, who, *(str(figures.get(key, "")) for key in keys))
        for who, figures in contestants.items()
        if "wall_s" in figures
    ]


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
