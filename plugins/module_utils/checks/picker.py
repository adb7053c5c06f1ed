# SPDX-License-Identifier: GPL-3.0-or-later
"""The endpoint picker of a service: whether it runs, starts with its configuration, and knows the engines as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..endpoint_picker.workloads import NO_METRICS
from ..kinds.check import WARNING, Check, check
from ..kinds.view import DECODE, PREFILL, PickerView, ServiceView, Workload
from ..kube.problem import Problem

if TYPE_CHECKING:
    from ..endpoint_picker.releases import PickerRelease

NO_PICKER = Check(
    "picker-replicas",
    WARNING,
    finds="0 picker pods answer the gateway: with failureMode {mode} {effect}",
    fix="use at least 1",
)
ADVICE = Check(
    "picker-advice",
    WARNING,
    finds="{message}",
    fix="{way} ({finding}, checked for the picker {target}{outcome})",
)
LATER = Check(
    "picker-later",
    WARNING,
    finds="the configuration uses what later pickers no longer have: {drops}",
    fix="rewrite it before the picker's image moves on: epp_config with migrate_from {target}",
)
CACHE = Check(
    "cache-scored",
    WARNING,
    finds="{flag} leaves the engine without cached prefixes, and {scorer} of the picker sends requests where their prefix is cached",
    fix="leave the flag out, or the scorer out of the picker's configuration",
)
BLIND = Check(
    "load-unseen",
    WARNING,
    finds="{flag} leaves the engine without metrics, so the picker sees no load, and spreads requests blindly",
    fix="leave the flag out",
)
#: Plugins that send requests where their prefix is cached. One name is the end of the other.
_SCORERS = ("precise-prefix-cache-scorer", "prefix-cache-scorer")
_NO_CACHE = "--no-enable-prefix-caching"


@check(NO_PICKER)
def no_picker(view: ServiceView) -> Iterator[Problem]:
    """Yield a picker that is scaled to zero while the gateway still asks it."""
    picker = view.picker
    if picker is not None and picker.workload.replicas == 0:
        fails = picker.failure == "FailClose"
        effect = "every request fails" if fails else "requests are spread blindly"
        yield NO_PICKER.at(picker.replicas_field, mode=picker.failure, effect=effect)


@check(ADVICE, costly=True)
def advice(view: ServiceView) -> Iterator[Problem]:
    """Yield faults of the picker's configuration: by itself, compared with the engines, and in the picker's own container.

    Always warnings: an image whose tag does not tell its release may be of another one than that which is checked for.
    """
    picker = view.picker
    if picker is not None and picker.config is not None:
        yield from _judged(view, picker, picker.config)


@check(CACHE, costly=True)
def cache_scored(view: ServiceView) -> Iterator[Problem]:
    """Yield engines without prefix caching behind a picker that relies on it."""
    if view.picker is None:
        return
    said = f"{view.picker.config or ''} {view.picker.workload.pod} {_config_maps(view)}"
    scorer = next((each for each in _SCORERS if each in said), "")
    for workload in view.serving if scorer else ():
        for flag in workload.flags:
            if flag.name == _NO_CACHE:
                yield CACHE.at(workload.in_engine(flag.place), flag=flag.name, scorer=scorer)


@check(BLIND, costly=True)
def load_unseen(view: ServiceView) -> Iterator[Problem]:
    """Yield engines without metrics behind a picker."""
    for workload in view.serving if view.picker is not None else ():
        for flag in workload.flags:
            if flag.name in NO_METRICS:
                yield BLIND.at(workload.in_engine(flag.place), flag=flag.name)


def _config_maps(view: ServiceView) -> list[object]:
    return [each.get("data") for each in view.made if each.get("kind") == "ConfigMap"]


def _judged(view: ServiceView, picker: PickerView, config: str) -> Iterator[Problem]:
    # Loading the picker's rules takes longer than all other checks.
    from ..endpoint_picker.adapters import adapter_findings
    from ..endpoint_picker.block_size import block_size_findings
    from ..endpoint_picker.cache_events import cache_event_findings
    from ..endpoint_picker.check import check_text
    from ..endpoint_picker.engine_types import engine_type_findings
    from ..endpoint_picker.pod_labels import pod_label_findings
    from ..endpoint_picker.roles import role_findings

    release = _release(picker)
    report = check_text(config, release)
    engines = [_as_pod(workload) for workload in view.of(DECODE, PREFILL)]
    for finding in (
        *report.findings,
        *block_size_findings(engines, report),
        *cache_event_findings(engines, report),
        *adapter_findings(engines, report),
        *pod_label_findings(engines, report),
        *engine_type_findings(engines, report, release),
        *role_findings(engines, None, report, release),
    ):
        if finding.severity != "info":
            place = f"{finding.path}: " if finding.path else ""
            outcome = ", which does not start with it" if finding.verdict != "accept" else ""
            yield ADVICE.at(
                picker.place,
                message=f"{place}{finding.message}",
                way=finding.fix,
                finding=finding.rule,
                target=release.target,
                outcome=outcome,
            )


@check(LATER, costly=True)
def later_pickers(view: ServiceView) -> Iterator[Problem]:
    """Yield parts of the author's configuration that this release of the picker accepts and a later one does not."""
    picker = view.picker
    if picker is None or picker.config is None:
        return
    from ..endpoint_picker.check import check_text
    from ..endpoint_picker.later import dropped_later

    release = _release(picker)
    drops = dropped_later(check_text(picker.config, release).given, release)
    if drops:
        told = "; ".join(f"{finding.path}: {finding.message}" for finding in drops)
        yield LATER.at(picker.place, drops=told, target=release.target)


def _release(picker: PickerView) -> PickerRelease:
    """Return the release of the picker's image, that of the service's own release where the image does not tell."""
    from ..endpoint_picker.images import release_of_image
    from ..endpoint_picker.releases import release_of

    images = (each.get("image") or "" for each in picker.workload.pod.get("containers") or ())
    told = next(filter(None, map(release_of_image, images)), None)
    return told or release_of(picker.target)


def _as_pod(workload: Workload) -> dict[str, object]:
    return {"metadata": {"labels": dict(workload.labels)}, "spec": workload.pod}
