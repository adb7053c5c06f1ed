# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods that a picker chooses among, as they are in workloads that somebody gives."""

from __future__ import annotations

from collections.abc import Iterator

from ..kube.manifest import Json

#: The flag by which vLLM tells what it has in its cache.
EVENTS = "--kv-events-config"
#: Flags with which vLLM counts nothing, so that nobody sees its load.
NO_METRICS = ("--disable-log-stats",)


def pod_of(workload: Json) -> Json:
    """Return metadata and spec of a workload's pods, or the pod itself: of a LeaderWorkerSet its leaders, which answer requests."""
    spec = as_map(workload.get("spec"))
    group = as_map(spec.get("leaderWorkerTemplate"))
    template = spec.get("template") or group.get("leaderTemplate") or group.get("workerTemplate")
    return as_map(template) if template else workload


def as_map(value: object) -> Json:
    """Return a map, empty for what is none."""
    return value if isinstance(value, dict) else {}


def pod_labels(workload: Json) -> dict[str, str]:
    """Return the labels of a workload's pods."""
    metadata = as_map(pod_of(workload).get("metadata"))
    return {str(key): str(value) for key, value in as_map(metadata.get("labels")).items()}


def engines_of(workload: Json) -> Iterator[tuple[str, Json]]:
    """Yield the containers of a pod that serve, each with its name: what is known as an engine, or else the first container."""
    containers = as_map(pod_of(workload).get("spec")).get("containers") or []
    called = str(as_map(workload.get("metadata")).get("name") or "")
    told = [each for each in containers if each.get("command") or each.get("args")]
    serving = [each for each in told if _is_engine(each)] or told[:1]
    for container in serving:
        name = str(container.get("name"))
        yield (f"container {name} of {called}" if called else f"container {name}"), container


def _is_engine(container: Json) -> bool:
    line = " ".join(
        str(word) for field in ("command", "args") for word in container.get(field) or ()
    )
    return EVENTS in line or "vllm" in line or "sglang" in line or "--served-model-name" in line
