# SPDX-License-Identifier: GPL-3.0-or-later
"""The short form of `make fuzz`, the same rounds each time; and what a second apply does to an object of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fuzz.report import mistakes, text_of
from tests.fuzz.stage import Stage, fuzz_stage
from tests.fuzz.subjects import subjects

SEEDS = range(16)
THREADS = 4
#: How many of the objects that need no apply may be sent one.
NEEDLESS = 0.02


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """A control plane on which nobody else writes."""
    with fuzz_stage() as found:
        yield found


def test_no_apply_is_left_out_that_the_server_would_act_on_and_few_are_needless(
    stage: Stage,
) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        cases = [case for found in pool.map(stage.round, SEEDS) for case in found]
    wrong = mistakes(cases)
    unsound = [text_of(case) for case in wrong if case.judged.verdict == "unsound"]
    assert not unsound, "\n".join(unsound)
    idle = sum(case.judged.verdict in ("proved", "needless") for case in cases)
    assert idle > 100, "too few objects needed nothing to tell"
    needless = len(wrong) - len(unsound)
    assert needless <= NEEDLESS * idle, "\n".join(text_of(case) for case in wrong)


def test_second_apply_bumps_the_version_of_no_kind(stage: Stage) -> None:
    """An empty list that the server drops, too: it once bumped it in each apply."""
    numbers = range(len(subjects()))
    with ThreadPoolExecutor(THREADS) as pool:
        versions = list(pool.map(stage.versions, numbers))
    bumped = [
        name
        for (name, *dummy), (first, again) in zip(subjects(), versions, strict=True)
        if first != again
    ]
    assert not bumped
