# SPDX-License-Identifier: GPL-3.0-or-later
"""The long run of fit: `make fuzz-fit`, `make fuzz-fit ARGS='--seed 17'` to do one batch again.

Random clusters are judged by our fit and by the real scheduler. Ended and started again, it continues where it was.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

from tests.lab.control_plane import ControlPlane
from tests.lab.fixtures import fresh_namespace

from .clusters import Decided, decide, random_cluster
from .progress import BUILD, Progress, options

#: Clusters that are side by side in one batch; a batch has one seed.
BATCH = 25


def main() -> int:
    """Run; 1 where the scheduler decided otherwise than we said."""
    asked = options("tests.fuzz.fit", __doc__, "clusters", 500)
    progress = Progress(BUILD / "fit.json", "clusters", afresh=asked.afresh)
    with ControlPlane() as plane:
        if asked.seed is not None:
            return int(bool(_disagreements(_batch(plane, asked.seed))))
        while progress.done < asked.wanted:
            decided = _batch(plane, progress.done // BATCH)
            progress.add(_counts(decided), len(decided))
    return int(progress.counts["disagreements"] > 0)


def _batch(plane: ControlPlane, seed: int) -> list[Decided]:
    random = Random(seed)
    with fresh_namespace(plane.client, "fit") as namespace:
        return decide(plane.client, namespace, [random_cluster(random) for dummy in range(BATCH)])


def _counts(decided: list[Decided]) -> Counter[str]:
    counts = Counter(answer.verdict.value for each in decided for answer in each.answers)
    counts["identical"] = sum(each.cluster.identical for each in decided)
    counts["disagreements"] = len(_disagreements(decided))
    return counts


def _disagreements(decided: list[Decided]) -> list[str]:
    lines = [line for each in decided for line in each.disagreements()]
    for line in lines:
        print(line, flush=True)
    return lines


if __name__ == "__main__":
    sys.exit(main())
