# SPDX-License-Identifier: GPL-3.0-or-later
"""`make fuzz-warnings`: valid services at random. Every rule that warns is counted by kind and field, and no line that is said to have no effect has one."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.mistakes.sources import Source, later_sources, sources

from .judge import wrong_findings
from .services import edited_service, generated_sources

Json = dict[str, Any]
#: LLMInferenceServices of each release that are made at random, beside examples and recordings.
_GENERATED = 80
#: So many seeds lie between two workers.
_APART = 1_000_000


@dataclass
class Tally:
    """Counts over many services. told: by kind, rule and field. shown: an example of each."""

    valid: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    told: Counter[str] = field(default_factory=Counter)
    shown: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def add(self, source: Source, seed: str) -> None:
        """Judge one service."""
        result = source.result_of(source.document)
        if result.get("failed"):
            self.refused += 1
            return
        kind = source.document["kind"]
        self.valid[" ".join((kind, *source.releases.values()))] += 1
        for each in result["services"][0]["problems"]:
            if each["severity"] == "warning":
                key = f"{kind} {each['rule']} {_general(each['path'])}"
                self.told[key] += 1
                self.shown.setdefault(key, f"{each['path']}: {each['message']}  [{seed}]")
        for problem, how in wrong_findings(source, result, seed):
            self.wrong.append(f"{seed}: {problem['path']}: {problem['message']} BUT {how}")

    def merge(self, other: Tally) -> None:
        """Add what another has counted."""
        self.valid += other.valid
        self.refused += other.refused
        self.told += other.told
        self.shown = {**other.shown, **self.shown}
        self.wrong += other.wrong


def _general(path: str) -> str:
    """Return a field without its position in lists."""
    return re.sub(r"\[[0-9]+\]", "[]", path)


def bases(seed: int) -> list[Source]:
    """Return services to begin with, kinds and releases in turn."""
    by_kind: dict[str, list[Source]] = {}
    for source in (*sources(), *later_sources(), *generated_sources(seed, _GENERATED)):
        release = source.releases.get("kserve", "")
        by_kind.setdefault(f"{source.document['kind']} {release}", []).append(source)
    most = max(map(len, by_kind.values()))
    return [each[number % len(each)] for number in range(most) for each in by_kind.values()]


def judged(right: Sequence[Source], first: int, count: int) -> Tally:
    """Judge services until so many were valid. first: the seed of the first one."""
    found = Tally()
    seed = first
    while found.valid.total() < count:
        found.add(edited_service(right[seed % len(right)], str(seed)), str(seed))
        seed += 1
    return found


def main() -> int:
    """Run; 1 where a line that is said to have no effect has one."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.warnings", description=__doc__)
    parser.add_argument("--services", type=int, default=10_000, help="how many valid ones")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    right = bases(options.first)
    firsts = [options.first + number * _APART for number in range(options.workers)]
    share = -(-options.services // options.workers)
    found = Tally()
    with ProcessPoolExecutor(options.workers) as pool:
        for part in pool.map(partial(judged, right, count=share), firsts):
            found.merge(part)
    for key, count in sorted(found.told.items()):
        print(f"{count:6} {key}: {found.shown[key]}")
    for line in found.wrong:
        print(f"wrong: {line}")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found.valid.items()))
    print(f"{found.valid.total()} valid services ({kinds}), {found.refused} refused on the way")
    idle = sum(count for key, count in found.told.items() if key.split()[1] == "no-effect")
    print(
        f"{found.told.total()} warnings, {idle} of them of lines without effect: {len(found.wrong)} wrong"
    )
    return int(bool(found.wrong))


if __name__ == "__main__":
    sys.exit(main())
