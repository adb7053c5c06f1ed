# SPDX-License-Identifier: GPL-3.0-or-later
"""The short form of `make fuzz`: the same rounds each time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.fuzz.report import mistakes, text_of
from tests.fuzz.stage import fuzz_stage

SEEDS = range(16)
THREADS = 4
#: How many of the objects that need no apply may be sent one.
NEEDLESS = 0.02


def test_no_apply_is_left_out_that_the_server_would_act_on_and_few_are_needless() -> None:
    with fuzz_stage() as stage, ThreadPoolExecutor(THREADS) as pool:
        cases = [case for found in pool.map(stage.round, SEEDS) for case in found]
    wrong = mistakes(cases)
    unsound = [text_of(case) for case in wrong if case.judged.verdict == "unsound"]
    assert not unsound, "\n".join(unsound)
    idle = sum(case.judged.verdict in ("proved", "needless") for case in cases)
    assert idle > 100, "too few objects needed nothing to tell"
    needless = len(wrong) - len(unsound)
    assert needless <= NEEDLESS * idle, "\n".join(text_of(case) for case in wrong)
