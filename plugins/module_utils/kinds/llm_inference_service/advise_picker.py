# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the endpoint picker starts with the configuration that a service gives it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...endpoint_picker.block_size import block_size_findings
from ...endpoint_picker.check import check_text
from ...endpoint_picker.findings import Finding
from ...endpoint_picker.releases import release_of
from ...kube.manifest import Json
from ...kube.problem import Problem
from .children.picker_config import PICKER, given_config
from .resolved import Resolved

_PATH = "spec.router.scheduler.config"


def picker_advice(resolved: Resolved, workloads: Sequence[Json]) -> Iterator[Problem]:
    """Yield what is wrong with the configuration, as warnings: the author's image may be of another release than the preset's.

    workloads: what serves the model.
    """
    text = given_config(resolved) if resolved.managed_picker else None
    if text is None:
        return
    target = release_of(PICKER.at(resolved.settings.release))
    report = check_text(text, target)
    for finding in (*report.findings, *block_size_findings(workloads, report)):
        if finding.severity != "info":
            yield _as_problem(finding, target.target)


def _as_problem(finding: Finding, target: str) -> Problem:
    place = f"{finding.path}: " if finding.path else ""
    outcome = ", which does not start with it" if finding.verdict != "accept" else ""
    message = f"{place}{finding.message}; {finding.fix} ({finding.rule}, checked for the picker {target}{outcome})"
    return Problem(_PATH, message, "warning", rule="picker-advice")
