# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an endpoint picker of a release starts with a configuration, and what it makes of it."""

from __future__ import annotations

from dataclasses import dataclass

from ..kube.manifest import Json
from .findings import Finding, Value, Verdict, refusal, verdict_of
from .loading.loader import load
from .loading.loading import Loading
from .loading.runtime_state import (
    flow_control_controller,
    flow_control_registry,
    reported_types,
    saturation_detector,
)
from .releases import PickerRelease
from .text.decode import decode
from .text.errors import DecodeError


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found.

    verdict: what the release's loader does. given: the configuration as it was decoded. config: the configuration with every default, as the picker uses it;
    empty where it could not be decoded. instances: name → type of each plugin object, as the registry names it. shaky: whether the order of a
    profile, or the picker that it took, changes from start to start. effective: what the started picker holds beyond its
    configuration, empty where it does not start.
    """

    verdict: Verdict
    findings: list[Finding]
    config: Json
    instances: dict[str, str]
    shaky: bool
    effective: Json
    given: Json

    @property
    def errors(self) -> list[Finding]:
        """The findings that have to be corrected."""
        return [finding for finding in self.findings if finding.severity == "error"]


_ORDER = {"error": 0, "warning": 1, "info": 2}


def check_text(
    source: str | bytes, release: PickerRelease, *, experimental: bool = False
) -> Report:
    """Check a configuration as text. experimental: the picker runs with --allow-experimental-plugins."""
    try:
        decoded = decode(source)
    except DecodeError as error:
        finding = refusal(error.rule, "", None, str(error), error.fix)
        return _report(Loading(release, {}, findings=[finding]))
    loading = load(decoded.value, release, experimental=experimental, empty=decoded.empty)
    loading.findings[:0] = decoded.notes
    return _report(loading)


def check_document(
    document: Value, release: PickerRelease, *, experimental: bool = False
) -> Report:
    """Check a configuration as structure. experimental: as for text."""
    return _report(load(document, release, experimental=experimental, empty=False))


def _report(loading: Loading) -> Report:
    handlers = loading.all_of("handler")
    verdict = verdict_of(loading.findings)
    return Report(
        verdict=verdict,
        findings=sorted(loading.findings, key=lambda finding: _ORDER[finding.severity]),
        config=loading.config,
        instances=loading.instances,
        shaky=loading.shaky,
        effective={} if verdict == "reject" else _effective(loading, handlers),
        given=loading.given,
    )


def _effective(loading: Loading, handlers: list[str]) -> Json:
    found = {
        "instances": reported_types(loading),
        "profile_handler": handlers[0] if handlers else "",
        "feature_gates": loading.gates or None,
        "saturation_detector": saturation_detector(loading),
        "flow_control_controller": flow_control_controller(loading),
        "flow_control_registry": flow_control_registry(loading),
    }
    return {key: value for key, value in found.items() if value is not None}
