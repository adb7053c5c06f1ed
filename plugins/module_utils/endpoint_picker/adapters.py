# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether engines serve the LoRA adapters that a picker spreads requests by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kube.command_line import flags
from ..kube.manifest import Json
from .check import Report
from .findings import Finding, warning
from .workloads import engines_of

_SCORER = "lora-affinity-scorer"
#: Flags without which vLLM serves no adapter. Source: vLLM v0.11.0, vllm/engine/arg_utils.py.
_SERVES = frozenset({"--enable-lora"})


def adapter_findings(workloads: Iterable[Json], report: Report) -> Iterator[Finding]:
    """Yield a scorer of adapters where no engine serves any. workloads: pods, or what has a pod template."""
    engines = [engine for workload in workloads for engine in engines_of(workload)]
    if not engines or any(_SERVES & dict(flags(engine)).keys() for dummy, engine in engines):
        return
    for number, plugin in enumerate(report.config.get("plugins", ())):
        if plugin.get("type") == _SCORER:
            yield warning(
                "adapters-off",
                f"plugins[{number}]",
                plugin.get("name"),
                f"{engines[0][0]} runs without --enable-lora, so {_SCORER} gives every pod the same score",
                "give the engine --enable-lora, or delete the plugin",
            )
