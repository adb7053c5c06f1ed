# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of cases by class, kept in a file so that a long run can continue where it was ended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from .judge import Verdict
from .rounds import Case

#: What is counted for each deed and each intent.
VERDICTS: tuple[Verdict, ...] = ("proved", "sent", "unsound", "needless", "refused")


class Tally:
    """How many cases there were of each class. next_seed: the first that was not tried yet."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self.next_seed = 0
        if file.exists():
            kept = json.loads(file.read_text())
            self.next_seed = kept["next_seed"]
            self.counts.update({tuple(key): number for *key, number in kept["counts"]})

    def add(self, cases: Iterable[Case]) -> None:
        """Count the cases of a round."""
        for case in cases:
            self.counts[case.deed, case.intent, case.judged.verdict] += 1

    def save(self, next_seed: int) -> None:
        """Write down where the run is."""
        self.next_seed = next_seed
        counts = [[*key, number] for key, number in sorted(self.counts.items())]
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part")
        part.write_text(json.dumps({"next_seed": next_seed, "counts": counts}))
        part.replace(self._file)

    def total(self, verdict: Verdict) -> int:
        """Return how many cases were decided so."""
        return sum(number for key, number in self.counts.items() if key[2] == verdict)

    @property
    def cases(self) -> int:
        """The number of all cases."""
        return sum(self.counts.values())

    def table(self) -> str:
        """Return the counts by deed and by intent, as text."""
        return "\n".join([*self._lines(0, "what others did"), "", *self._lines(1, "what we want")])

    def _lines(self, part: int, head: str) -> list[str]:
        lines = [f"{head:30}" + "".join(f"{verdict:>10}" for verdict in VERDICTS)]
        for name in sorted({key[part] for key in self.counts}):
            numbers = [
                sum(n for key, n in self.counts.items() if key[part] == name and key[2] == verdict)
                for verdict in VERDICTS
            ]
            lines.append(f"{name:30}" + "".join(f"{number:>10}" for number in numbers))
        return lines
