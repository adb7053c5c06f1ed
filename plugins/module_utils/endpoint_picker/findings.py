# SPDX-License-Identifier: GPL-3.0-or-later
"""What a check finds in a configuration, and what it means for the picker's start."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..kube.manifest import Json

#: What a configuration holds.
Value: TypeAlias = Any

Severity = Literal["error", "warning", "info"]

#: What a loader does with a configuration: `unstable` loads on some starts and crashes on others.
Verdict = Literal["accept", "reject", "unstable"]

#: Values longer than this are cut in findings.
_LONGEST_VALUE = 120


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a configuration.

    rule: its name in the documentation. path: where, as in `plugins[2].parameters.threshold`. fix: what to do.
    verdict: what the release's loader does because of it; `accept` for what it does not notice.
    """

    rule: str
    severity: Severity
    path: str
    value: Value
    message: str
    fix: str
    verdict: Verdict = "accept"

    def as_json(self) -> Json:
        """Return the finding as a task returns it."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "path": self.path,
            "value": _short(self.value),
            "message": self.message,
            "fix": self.fix,
        }


def refusal(rule: str, path: str, value: Value, message: str, fix: str) -> Finding:
    """Return a finding because of which the picker does not start."""
    return Finding(rule, "error", path, value, message, fix, "reject")


def warning(rule: str, path: str, value: Value, message: str, fix: str) -> Finding:
    """Return a finding that the loader does not mind, but the author of the configuration would."""
    return Finding(rule, "warning", path, value, message, fix)


def info(rule: str, path: str, value: Value, message: str, fix: str) -> Finding:
    """Return a finding that is good to know."""
    return Finding(rule, "info", path, value, message, fix)


def unknown(rule: str, path: str, value: Value, message: str, fix: str, *, sure: bool) -> Finding:
    """Return a finding about a name that a release does not have. Where nobody is sure of that, it is a warning."""
    return (refusal if sure else warning)(rule, path, value, message, fix)


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """Return what the loader does with a configuration that has these findings."""
    verdicts = {finding.verdict for finding in findings}
    if "reject" in verdicts:
        return "reject"
    return "unstable" if "unstable" in verdicts else "accept"


def _short(value: Value) -> Value:
    if isinstance(value, (dict, list)):
        value = str(value)
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        return value[:_LONGEST_VALUE] + "…"
    return value
