# SPDX-License-Identifier: GPL-3.0-or-later
"""Most of what people write wrong is told at its field; `make mistakes` shows more, by kind of mistake."""

from __future__ import annotations

import pytest

from tests.mistakes.places import Spoilt
from tests.mistakes.registry import MISTAKES
from tests.mistakes.sources import example_sources
from tests.mistakes.tally import Verdict, judged, tally

#: The part of a sample that is told at its field.
TOLD = 0.97
#: Kinds of mistakes that only recordings have a place for.
ELSEWHERE = {
    "list-of-a-base-replaced",
    "mount-path-twice",
    "route-path-without-slash",
    "volume-twice",
}
#: What examples may be warned about, and why.
RIGHT = {
    "istio-pool-name": "two examples show names that Istio cannot serve",
    "preset-dependent": "KServe's own presets for single pods pass no sizes on",
    "system-config": "no configuration of KServe is given",
    "shared-memory": "the setting that mounts memory is not given",
    "plain-http": "no certificate is given",
}


def test_a_sample_of_mistakes_is_told() -> None:
    found = tally(list(example_sources()), seed=1, sample=260)
    shown = "\n".join(found.rows())
    assert found.total >= 150
    assert found.share >= TOLD, shown
    assert MISTAKES.keys() - found.counts.keys() <= ELSEWHERE, (
        "a kind is made in no example any more"
    )
    silent = {name for name, count in found.counts.items() if count["field"] * 2 < count.total()}
    assert not silent, shown


def test_examples_are_warned_about_for_a_reason_only() -> None:
    rules = {
        each["rule"]
        for source in example_sources()
        for each in source.told(source.document)
        if each["severity"] != "info"
    }
    assert rules <= RIGHT.keys()


def test_a_hundred_kinds_of_mistakes_are_made() -> None:
    assert len(MISTAKES) >= 100


@pytest.mark.parametrize(
    ("paths", "verdict"),
    [
        ([], "silent"),
        (["spec.a"], "field"),
        (["spec.a.b"], "field"),
        (["spec.a[0]"], "field"),
        (["spec.ab"], "elsewhere"),
        (["spec", "x"], "elsewhere"),
    ],
)
def test_mistake_is_told_at_its_field_or_below(paths: list[str], verdict: Verdict) -> None:
    assert judged(Spoilt({}, ("spec.a",)), [{"path": path} for path in paths]) == verdict
