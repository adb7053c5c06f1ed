# SPDX-License-Identifier: GPL-3.0-or-later
"""The long run of fit: `make fuzz-fit`, `make fuzz-fit ARGS='--seed 17'` to do one batch again.

Random clusters are judged by our fit and by the real scheduler. Ended and started again, it goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from pathlib import Path
from random import Random

from tests.lab.control_plane import ControlPlane
from tests.lab.fixtures import fresh_namespace

from .clusters import Decided, decide, random_cluster

STATE = Path(__file__).parents[2] / "build" / "fuzz" / "fit.json"
#: Clusters that stand side by side in one batch; a batch has one seed.
BATCH = 25


def main() -> int:
    """Run; 1 where the scheduler decided otherwise than we said."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.fit", description=__doc__)
    parser.add_argument(
        "--clusters", type=int, default=500, help="how many, those of earlier runs included"
    )
    parser.add_argument("--seed", type=int, help="do one batch again")
    parser.add_argument("--afresh", action="store_true", help="forget earlier runs")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit("ended"))
    if options.afresh:
        STATE.unlink(missing_ok=True)
    counted: Counter[str] = Counter(_earlier())
    with ControlPlane() as plane:
        if options.seed is not None:
            return int(bool(_disagreements(_batch(plane, options.seed))))
        while counted["clusters"] < options.clusters:
            decided = _batch(plane, counted["clusters"] // BATCH)
            counted.update(_counts(decided))
            STATE.parent.mkdir(parents=True, exist_ok=True)
            STATE.write_text(json.dumps(counted), encoding="utf-8")
            print(", ".join(f"{count} {what}" for what, count in counted.items()), flush=True)
    return int(counted["disagreements"] > 0)


def _earlier() -> dict[str, int]:
    try:
        found: dict[str, int] = json.loads(STATE.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def _batch(plane: ControlPlane, seed: int) -> list[Decided]:
    random = Random(seed)
    with fresh_namespace(plane.client, "fit") as namespace:
        return decide(plane.client, namespace, [random_cluster(random) for dummy in range(BATCH)])


def _counts(decided: list[Decided]) -> Counter[str]:
    counts = Counter(answer.verdict.value for each in decided for answer in each.answers)
    counts["identical"] = sum(each.cluster.identical for each in decided)
    counts["clusters"] = len(decided)
    counts["disagreements"] = len(_disagreements(decided))
    return counts


def _disagreements(decided: list[Decided]) -> list[str]:
    lines = [line for each in decided for line in each.disagreements()]
    for line in lines:
        print(line, flush=True)
    return lines


if __name__ == "__main__":
    sys.exit(main())
