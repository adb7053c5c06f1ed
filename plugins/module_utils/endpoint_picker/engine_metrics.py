# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether engines publish the metrics by which a picker sees their load.

Source: vLLM v0.11.0, vllm/engine/arg_utils.py and vllm/v1/metrics/loggers.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kube.command_line import flags
from ..kube.manifest import Json
from .check import Report
from .findings import Finding, warning
from .workloads import NO_METRICS, engines_of

#: Plugins that read the load of engines from their metrics.
_OF_LOAD = (
    "kv-cache-utilization-scorer",
    "load-aware-scorer",
    "queue-scorer",
    "running-requests-size-scorer",
)


def engine_metrics_findings(workloads: Iterable[Json], report: Report) -> Iterator[Finding]:
    """Yield engines without metrics behind a scorer of load. workloads: pods, or what has a pod template."""
    scorer = next(
        (
            (number, plugin["type"])
            for number, plugin in enumerate(report.config.get("plugins", ()))
            if plugin.get("type") in _OF_LOAD
        ),
        None,
    )
    if scorer is None:
        return
    number, kind = scorer
    for workload in workloads:
        for name, engine in engines_of(workload):
            for flag in (each for each in NO_METRICS if each in dict(flags(engine))):
                yield warning(
                    "metrics-off",
                    f"plugins[{number}]",
                    kind,
                    f"{name} runs with {flag} and publishes no metrics, so {kind} gives every pod the same score",
                    f"leave {flag} out",
                )
