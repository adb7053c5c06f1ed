# SPDX-License-Identifier: GPL-3.0-or-later
"""The long run: `make fuzz`, `make fuzz ARGS='--cases 1000000'`, `make fuzz ARGS='--seed 17'` to do one round again.

Starts a control plane whose controllers are off, so that nobody else writes. Ended and started again, it continues where it was.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from .progress import BUILD, options
from .report import mistakes, text_of
from .rounds import Case
from .stage import Stage, fuzz_stage
from .tally import Tally

STATE = BUILD / "state.json"
#: Rounds at once; each waits for the server most of the time.
THREADS = 8
SAY_EVERY_S = 30.0


def main() -> int:
    """Run; 1 where a decision was unsound."""
    asked = options("tests.fuzz", __doc__, "cases", 100_000)
    with fuzz_stage() as stage:
        if asked.seed is not None:
            return _again(stage, asked.seed)
        if asked.afresh:
            STATE.unlink(missing_ok=True)
        return _long(stage, asked.wanted)


def _again(stage: Stage, seed: int) -> int:
    cases = stage.round(seed)
    for case in mistakes(cases):
        print(text_of(case))
    print(f"{len(cases)} cases, {len(mistakes(cases))} mistakes")
    return int(any(case.judged.verdict == "unsound" for case in cases))


def _long(stage: Stage, wanted: int) -> int:
    tally = Tally(STATE)
    began, before, said = time.monotonic(), tally.cases, 0.0
    seed = tally.next_seed
    pending: set[Future[list[Case]]] = set()
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            while tally.cases < wanted:
                while len(pending) < THREADS:
                    pending.add(pool.submit(stage.round, seed))
                    seed += 1
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for each in done:
                    _count(tally, each.result())
                tally.save(seed)
                if time.monotonic() - said > SAY_EVERY_S:
                    said = time.monotonic()
                    print(_progress(tally, (tally.cases - before) / (said - began)), flush=True)
        finally:
            for each in pending:
                each.cancel()
    print(tally.table())
    print(_progress(tally, (tally.cases - before) / (time.monotonic() - began)))
    return int(tally.total("unsound") > 0)


def _count(tally: Tally, cases: list[Case]) -> None:
    tally.add(cases)
    for case in mistakes(cases):
        if case.judged.verdict == "unsound":
            print(text_of(case), flush=True)


def _progress(tally: Tally, rate: float) -> str:
    idle = tally.total("proved") + tally.total("needless")
    share = tally.total("needless") / idle if idle else 0.0
    return (
        f"{tally.cases} cases ({rate:.0f}/s), {tally.total('unsound')} unsound, "
        f"{tally.total('needless')} needless of {idle} where nothing would change ({share:.2%}); next seed {tally.next_seed}"
    )


if __name__ == "__main__":
    sys.exit(main())
