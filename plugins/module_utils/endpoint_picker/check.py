# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an endpoint picker of a release starts with a configuration, and what it makes of it."""

from __future__ import annotations

from dataclasses import dataclass

from ..kube.manifest import Json
from .findings import Finding, Value, Verdict, refusal, verdict_of
from .loading.loader import load
from .loading.loading import Loading
from .releases import Release
from .text.decode import decode
from .text.errors import DecodeError


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found.

    verdict: what the release's loader does. config: the configuration with every default, as the picker uses it;
    empty where it could not be decoded. instances: name → type of each plugin object. shaky: whether the order of a
    profile, or the picker that it took, changes from start to start.
    """

    verdict: Verdict
    findings: list[Finding]
    config: Json
    instances: dict[str, str]
    gates: dict[str, bool]
    handler: str
    shaky: bool

    @property
    def errors(self) -> list[Finding]:
        """The findings that have to be corrected."""
        return [finding for finding in self.findings if finding.severity == "error"]


_ORDER = {"error": 0, "warning": 1, "info": 2}


def check_text(source: str | bytes, release: Release, *, experimental: bool = False) -> Report:
    """Check a configuration as text. experimental: the picker runs with --allow-experimental-plugins."""
    try:
        decoded = decode(source)
    except DecodeError as error:
        finding = refusal(error.rule, "", None, str(error), error.fix)
        return _report(Loading(release, {}, findings=[finding]))
    loading = load(decoded.value, release, experimental=experimental, empty=decoded.empty)
    loading.findings[:0] = decoded.notes
    return _report(loading)


def check_document(document: Value, release: Release, *, experimental: bool = False) -> Report:
    """Check a configuration as structure. experimental: as for text."""
    return _report(load(document, release, experimental=experimental, empty=False))


def _report(loading: Loading) -> Report:
    handlers = loading.all_of("handler")
    return Report(
        verdict=verdict_of(loading.findings),
        findings=sorted(loading.findings, key=lambda finding: _ORDER[finding.severity]),
        config=loading.config,
        instances=loading.instances,
        gates=loading.gates,
        handler=handlers[0] if handlers else "",
        shaky=loading.shaky,
    )
