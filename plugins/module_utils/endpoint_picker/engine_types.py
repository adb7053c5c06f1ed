# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a picker reads the metrics of the engines under the names that they have.

A picker takes every pod for vLLM that does not say otherwise by a label. Of another engine it then sees no queue and no cache, and
spreads requests blindly. Source: gateway-api-inference-extension pkg/epp/framework/plugins/datalayer/extractor/metrics@v1.4.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kube.manifest import Json
from .check import Report
from .findings import Finding, warning
from .releases import Generation, PickerRelease
from .workloads import as_map, pod_of

_OLD_LABEL, _LABEL = "inference.networking.k8s.io/engine-type", "llm-d.ai/engine-type"
_EXTRACTOR = "core-metrics-extractor"
_USUAL = "vllm"
#: What the command of an engine holds, by the engine's name in the picker.
_SIGNS = {"sglang": ("sglang.launch_server", "sglang_router"), "trtllm-serve": ("trtllm-serve",)}


def engine_type_findings(
    workloads: Iterable[Json], report: Report, release: PickerRelease
) -> Iterator[Finding]:
    """Yield engines that are taken for others. workloads: pods, or what has a pod template."""
    if release.generation < Generation.V1_4:
        return
    labels, usual = _told(report, release)
    for workload in workloads:
        pod = pod_of(workload)
        engine = _engine(as_map(pod.get("spec")))
        given = as_map(as_map(pod.get("metadata")).get("labels"))
        taken_for = next((given[label] for label in labels if given.get(label)), usual)
        if engine and taken_for != engine:
            yield warning(
                "engine-type",
                f"workloads.metadata.labels[{labels[0]}]",
                taken_for,
                f"the pods run {engine} and are taken for {taken_for}, whose metrics have other names: their load is not seen",
                f"give them the label {labels[0]}: {engine}",
            )


def _told(report: Report, release: PickerRelease) -> tuple[tuple[str, ...], str]:
    """Return the labels that are read, and the engine of pods without one."""
    for plugin in report.config.get("plugins", ()):
        if plugin.get("type") == _EXTRACTOR:
            parameters = as_map(plugin.get("parameters"))
            own = parameters.get("engineLabelKey")
            usual = str(parameters.get("defaultEngine") or _USUAL)
            return ((str(own),) if own else _labels(release)), usual
    return _labels(release), _USUAL


def _labels(release: PickerRelease) -> tuple[str, ...]:
    return (_LABEL, _OLD_LABEL) if release.generation >= Generation.V0_9 else (_OLD_LABEL,)


def _engine(pod: Json) -> str:
    for container in pod.get("containers") or ():
        words = [str(word) for field in ("command", "args") for word in container.get(field) or ()]
        for engine, signs in _SIGNS.items():
            if any(sign in word for word in words for sign in signs):
                return engine
    return ""
