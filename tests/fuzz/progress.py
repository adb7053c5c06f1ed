# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a long run is: counts in a file, so that a run that was ended continues where it was."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from pathlib import Path

BUILD = Path(__file__).parents[2] / "build" / "fuzz"


class Progress:
    """The counts of this run and those before it. unit: what there are so many of, for example `cases`."""

    def __init__(self, file: Path, unit: str, *, afresh: bool) -> None:
        self._file = file
        self._unit = unit
        if afresh:
            file.unlink(missing_ok=True)
        kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        self.counts: Counter[str] = Counter(kept)

    @property
    def done(self) -> int:
        """How many there were."""
        return self.counts[self._unit]

    def add(self, counts: Counter[str], done: int) -> None:
        """Count one batch, keep it, and say how far the run is."""
        self.counts.update(counts)
        self.counts[self._unit] += done
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(self.counts), encoding="utf-8")
        print(", ".join(f"{count} {what}" for what, count in self.counts.items()), flush=True)


def options(module: str, description: str | None, unit: str, usual: int) -> argparse.Namespace:
    """Return what a long run was asked for, and let it end in order. unit: also the name of its option. usual: how many."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument(
        f"--{unit}",
        dest="wanted",
        type=int,
        default=usual,
        help="how many, those of earlier runs included",
    )
    parser.add_argument("--seed", type=int, help="do one again and tell what was wrong")
    parser.add_argument("--afresh", action="store_true", help="forget earlier runs")
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit("ended"))
    return parser.parse_args()
