# SPDX-License-Identifier: GPL-3.0-or-later
"""Which presets a service uses, by the parts that it asks for. Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....kube.manifest import Json, value_at
from ....kube.release import Since
from ...kserve.releases import KServe
from ..own_tokenizer import has_own_tokenizer, plugin_types
from ..parallelism import is_data_parallel, is_pipeline_parallel
from ..settings import Settings

_ROUTE = "config-llm-router-route"
_SCHEDULER = "config-llm-scheduler"
_TRACING, _PREDICTOR = "config-llm-tracing", "config-llm-scheduler-latency-predictor"
#: The plugin of a picker for which it gets a predictor beside it.
_PRODUCER = "predicted-latency-producer"

#: The names that KServe 0.17 ships presets under, without their prefix.
WELL_KNOWN = (
    "config-llm-template",
    "config-llm-worker-data-parallel",
    "config-llm-prefill-template",
    "config-llm-prefill-worker-data-parallel",
    "config-llm-decode-template",
    "config-llm-decode-worker-data-parallel",
    _SCHEDULER,
    _ROUTE,
)

_TOKENIZER = "config-llm-tokenizer"
#: Those that came later.
_MORE: Since[tuple[str, ...]] = Since(
    {
        KServe.V0_17: (),
        KServe.V0_20: (_PREDICTOR, _TRACING),
        KServe.V0_21: (_PREDICTOR, _TOKENIZER, _TRACING),
    }
)

#: Whether a configuration among the arguments of the picker decides, too.
_READS_ARGUMENTS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})

#: In the status a service keeps the names of the presets of its first run, below these annotations.
ANNOTATION_PREFIX = "serving.kserve.io/"


def well_known(release: KServe) -> tuple[str, ...]:
    """Return the names that a release ships presets under, without their prefix."""
    return (*WELL_KNOWN, *_MORE.at(release))


def preset_names(settings: Settings, kept: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each well-known preset that a service keeps. kept: `status.annotations` of the live service."""
    if not settings.versioned_config:
        return {}
    return {
        suffix: kept.get(f"{ANNOTATION_PREFIX}{suffix}") or f"{settings.config_prefix}{suffix}"
        for suffix in well_known(settings.release)
    }


def selected(detected: Json, names: Mapping[str, str], settings: Settings) -> Iterator[str]:
    """Yield the names of the presets of a service, the weakest first.

    detected: the service's spec under its baseRefs. names: those that it keeps.
    """
    for suffix in _suffixes(detected, settings.release):
        current = f"{settings.config_prefix}{suffix}"
        # The route's preset is never kept: each run takes the current one.
        yield current if suffix == _ROUTE else names.get(suffix, current)


def _suffixes(spec: Json, release: KServe) -> Iterator[str]:
    """Yield the names without their prefix."""
    router, more = spec.get("router") or {}, _MORE.at(release)
    if router.get("scheduler") is not None and not value_at(router, ("scheduler", "pool", "ref")):
        yield _SCHEDULER
    if has_own_tokenizer(spec, release):
        yield _TOKENIZER
    if _PREDICTOR in more and _predicts(router, release):
        yield _PREDICTOR
    if router.get("route") is not None and not value_at(router, ("route", "http", "refs")):
        yield _ROUTE
    if _TRACING in more and spec.get("tracing") is not None:
        yield _TRACING
    prefill = spec.get("prefill")
    if prefill is None:
        yield from _workload(spec, "")
        return
    yield from _workload(prefill, "prefill-")
    yield from _workload(spec, "decode-")


def _predicts(router: Json, release: KServe) -> bool:
    """Tell whether the picker's configuration, as it is in the spec, foretells how long answers take."""
    scheduler: Json = router.get("scheduler") or {}
    if not _READS_ARGUMENTS.at(release):
        scheduler = {"config": scheduler.get("config")}
    return _PRODUCER in plugin_types(scheduler)


def _workload(workload: Mapping[str, Any], role: str) -> Iterator[str]:
    """Yield the preset of one workload; a worker without data or pipeline parallelism has none."""
    if workload.get("worker") is None:
        yield f"config-llm-{role}template"
    elif is_data_parallel(workload.get("parallelism")):
        yield f"config-llm-{role}worker-data-parallel"
    elif is_pipeline_parallel(workload.get("parallelism")):
        yield f"config-llm-{role}worker-pipeline-parallel"
