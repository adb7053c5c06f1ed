# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the picker cuts prompts into the blocks that the engines cache.

What follows the engines' own reports of their caches finds nothing where its blocks have another size: no error says so, and every
request goes to any pod. Source: KServe's page about precise prefix routing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..kube.command_line import flags
from ..kube.manifest import Json
from .check import Report
from .findings import Finding, warning
from .workloads import as_map, pod_of

FLAG = "--block-size"
_SIZES = ("blockSize", "blockSizeTokens")


def block_size_findings(workloads: Iterable[Json], report: Report) -> Iterator[Finding]:
    """Yield block sizes of the configuration that are not those of an engine; both have to be told to be compared.

    workloads: pods, or what has a pod template.
    """
    told = {
        value
        for workload in workloads
        for container in as_map(pod_of(workload).get("spec")).get("containers") or ()
        for flag, value in flags(container)
        if flag == FLAG and value.isdecimal()
    }
    if not told:
        return
    for number, plugin in enumerate(report.config.get("plugins", ())):
        for path, size in _sizes(plugin.get("parameters"), f"plugins[{number}].parameters"):
            if size and {str(size)} != told:
                yield warning(
                    "block-size-differs",
                    path,
                    size,
                    f"blockSize is {size}, and the engines run with {FLAG} {', '.join(sorted(told))}: no cached prefix is ever found",
                    f"make both the same, here or in the engines' {FLAG}",
                )


def _sizes(value: Any, path: str) -> Iterator[tuple[str, int]]:
    """Yield the block sizes of token processors, however deep they are."""
    for name, below in as_map(value).items():
        if name == "tokenProcessorConfig":
            for field in _SIZES:
                if isinstance(as_map(below).get(field), int):
                    yield f"{path}.{name}.{field}", below[field]
        else:
            yield from _sizes(below, f"{path}.{name}")
