# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded picker configuration gets the verdict that each release gave it, and becomes what each release made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from module_utils.endpoint_picker.check import Report, check_text
from module_utils.endpoint_picker.releases import release_of, releases

RECORDINGS = Path(__file__).parent / "recordings" / "endpoint_picker"
VERDICTS = {"+": "accept", "-": "reject", "?": "unstable"}

_HEADER, *_LINES = (RECORDINGS / "verdicts.txt").read_text().splitlines()
COLUMNS = _HEADER.split()
RECORDED = {name: dict(zip(COLUMNS, signs, strict=True)) for name, *signs in map(str.split, _LINES)}


def check(name: str, column: str) -> Report:
    """Check a recorded input against the release of a column."""
    target, dummy, flag = column.partition("+")
    source = (RECORDINGS / "inputs" / f"{name}.txt").read_bytes()
    return check_text(source, release_of(target), experimental=bool(flag))


def test_every_release_and_every_input_was_recorded() -> None:
    """A release or an input that is added has to be recorded, or says that it was not; and nothing is left out."""
    judged = {target for target, release in releases().items() if release.judged}
    assert {column.partition("+")[0] for column in COLUMNS} == judged
    inputs = {path.stem for path in (RECORDINGS / "inputs").iterdir()}
    assert inputs == set(RECORDED)
    assert len(RECORDED) * len(COLUMNS) == 8520


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_the_verdict_is_that_of_the_release(name: str) -> None:
    """Accepted, refused or a gamble: as recorded, for each release."""
    wrong = {
        column: [finding.message for finding in report.errors]
        for column, sign in RECORDED[name].items()
        if (report := check(name, column)).verdict != VERDICTS[sign]
    }
    assert wrong == {}


def effective_results() -> Iterator[Any]:
    """Yield each recorded result once."""
    for path in sorted((RECORDINGS / "effective").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            result = json.loads(line)
            yield pytest.param(result, id=f"{path.stem}-{min(result['of'])}")


@pytest.mark.parametrize("result", list(effective_results()))
def test_the_normal_form_is_what_the_release_made_of_it(result: dict[str, Any]) -> None:
    """Defaults, injected plugins, gates and handler: as recorded. Where order is left to chance, in any order."""
    for name, columns in result["of"].items():
        for column in columns.split():
            report = check(name, column)
            loose = result.get("unordered", False) or report.shaky
            assert _comparable(report.config, loose) == _comparable(result["config"], loose)
            assert report.effective == result["started"]


#: How the lines of a picker's log begin, and the rule by which the same is said here.
LOG_RULES = {
    "DEPRECATION: apiVersion": "api-version-deprecated",
    "DEPRECATION: top-level": "field-deprecated",
    "DEPRECATION warning: plugin": "plugin-deprecated",
    "DEPRECATION: precise-prefix-cache-scorer": "plugin-deprecated",
    "Deprecated: plugin type": "plugin-deprecated",
    "Deprecated: pd-profile-handler": "plugin-deprecated",
    "Deprecated: Use simple-profile-handler": "plugin-deprecated",
    "DEPRECATED: requestTimeout": "parameter-deprecated",
    "Deprecated parameter": "parameter-deprecated",
    "Deprecated: using flat parameter format": "parameter-deprecated",
    "WARNING: configured blockSizeTokens": "block-size-raised",
    "Warning: optional data key": "data-optional",
}


@pytest.mark.parametrize(
    "result", [param for param in effective_results() if "log" in param.values[0]]
)
def test_what_the_release_warned_about_in_its_log_is_found(result: dict[str, Any]) -> None:
    """Each line has its finding, and nothing is invented; but we know of plugins that go away before their release says so."""
    told = {
        rule
        for line in result["log"]
        for start, rule in LOG_RULES.items()
        if line.startswith(start)
    }
    assert all(any(line.startswith(start) for start in LOG_RULES) for line in result["log"])
    for name, columns in result["of"].items():
        for column in columns.split():
            rules = {finding.rule for finding in check(name, column).findings}
            assert told <= rules
            assert rules & set(LOG_RULES.values()) <= told | {"plugin-deprecated"}


def _comparable(config: dict[str, Any], loose: bool) -> dict[str, Any]:
    if not loose:
        return config
    profiles = [
        {**profile, "plugins": _sorted(profile.get("plugins", []))}
        for profile in config["schedulingProfiles"]
    ]
    return {**config, "plugins": _sorted(config["plugins"]), "schedulingProfiles": profiles}


def _sorted(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
