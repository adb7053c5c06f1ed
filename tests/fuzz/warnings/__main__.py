# SPDX-License-Identifier: GPL-3.0-or-later
"""The long run of warnings: `make fuzz-warnings`, `make fuzz-warnings ARGS='--seed 17'` to judge one service again.

Valid services at random: every rule that warns is counted by kind and field, and no line that is said to have no effect has one.
Ended and started again, it continues where it was; what was told is in build/fuzz/warnings-told.json.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.progress import BUILD, Progress, options
from tests.mistakes.sources import Source, later_sources, sources

from .judge import wrong_findings
from .services import edited_service, generated_sources

Json = dict[str, Any]
TOLD = BUILD / "warnings-told.json"
#: Valid services between two looks at how far it is.
BATCH = 50
#: LLMInferenceServices of each release that are made at random, beside examples and recordings.
_GENERATED = 80


@dataclass
class Tally:
    """Counts over many services. told: by kind, rule and field. shown: an example of each."""

    valid: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    told: Counter[str] = field(default_factory=Counter)
    shown: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    @staticmethod
    def kept() -> Tally:
        """Return what earlier runs counted."""
        found = json.loads(TOLD.read_text(encoding="utf-8"))
        return Tally(
            Counter(found["valid"]),
            found["refused"],
            Counter(found["told"]),
            found["shown"],
            found["wrong"],
        )

    def keep(self) -> None:
        """Store the counts for a run that continues."""
        TOLD.parent.mkdir(parents=True, exist_ok=True)
        TOLD.write_text(json.dumps(vars(self)), encoding="utf-8")

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


def bases() -> list[Source]:
    """Return services to begin with, kinds and releases in turn."""
    by_kind: dict[str, list[Source]] = {}
    for source in (*sources(), *later_sources(), *generated_sources(0, _GENERATED)):
        release = source.releases.get("kserve", "")
        by_kind.setdefault(f"{source.document['kind']} {release}", []).append(source)
    most = max(map(len, by_kind.values()))
    return [each[number % len(each)] for number in range(most) for each in by_kind.values()]


def judge(right: Sequence[Source], seed: int, found: Tally) -> None:
    """Judge the service of a seed."""
    found.add(edited_service(right[seed % len(right)], str(seed)), str(seed))


def judged(right: Sequence[Source], first: int, count: int) -> Tally:
    """Judge services until so many were valid. first: the seed of the first one."""
    found = Tally()
    while found.valid.total() < count:
        judge(right, first + found.valid.total() + found.refused, found)
    for line in found.wrong:
        print(f"wrong: {line}", flush=True)
    return found


def main() -> int:
    """Run; 1 where a line that is said to have no effect has one."""
    asked = options("tests.fuzz.warnings", __doc__, "services", 10_000)
    progress = Progress(BUILD / "warnings.json", "services", afresh=asked.afresh)
    right = bases()
    if asked.seed is not None:
        found = Tally()
        judge(right, asked.seed, found)
        show(found)
        return int(bool(found.wrong))
    found = Tally.kept() if progress.done else Tally()
    while progress.done < asked.wanted:
        tried = progress.done + progress.counts["refused"]
        part = judged(right, tried, min(BATCH, asked.wanted - progress.done))
        found.merge(part)
        found.keep()
        counts = {
            "refused": part.refused,
            "warnings": part.told.total(),
            "wrong": len(part.wrong),
        }
        progress.add(Counter(counts), part.valid.total())
    show(found)
    return int(bool(found.wrong))


def show(found: Tally) -> None:
    """Print what was told, an example of each, and the counts."""
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


if __name__ == "__main__":
    sys.exit(main())
