# SPDX-License-Identifier: GPL-3.0-or-later
"""The long run of what the API refuses: `make fuzz-pods`, `make fuzz-pods ARGS='--seed 17'` to do one case again.

Valid objects and services of all kinds are spoilt, and judged by our rules and by an API server's dry run. Ended and started again,
it continues where it was; each disagreement is in build/fuzz/pods.jsonl.
"""

from __future__ import annotations

import json
import sys
from collections import Counter

import yaml

from tests.fuzz.progress import BUILD, Progress, options
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE
from tests.lab.fixtures import fresh_namespace

from .judge import Case
from .rounds import cases

FAULTS = BUILD / "pods.jsonl"
#: Cases between two looks at how far it is.
BATCH = 200


def main() -> int:
    """Run; 1 where we and the server disagreed."""
    asked = options("tests.fuzz.pods", __doc__, "cases", 10_000)
    progress = Progress(BUILD / "pods.json", "cases", afresh=asked.afresh)
    if asked.afresh:
        FAULTS.unlink(missing_ok=True)
    with (
        ControlPlane(nodes="none", crds=(*MODEL_SERVICE, "lws")) as plane,
        fresh_namespace(plane.client, "pods") as namespace,
    ):
        if asked.seed is not None:
            found = list(cases(plane.client, namespace, range(asked.seed, asked.seed + 1)))
            print("\n".join(_text(case) for case in found))
            return int(any(_is_fault(case) for case in found))
        while (begin := progress.done) < asked.wanted:
            end = min(begin + BATCH, asked.wanted)
            verdicts: Counter[str] = Counter()
            for case in cases(plane.client, namespace, range(begin, end)):
                verdicts[case.verdict] += 1
                if _is_fault(case):
                    _keep(case)
            progress.add(verdicts, end - begin)
    return int(progress.counts["missed"] + progress.counts["wrong"] > 0)


def _is_fault(case: Case) -> bool:
    return case.verdict in ("missed", "wrong")


def _keep(case: Case) -> None:
    print(f"seed {case.seed} {case.verdict}: {case.theirs or case.ours}"[:400], flush=True)
    FAULTS.parent.mkdir(parents=True, exist_ok=True)
    line = {"seed": case.seed, "verdict": case.verdict, "ours": case.ours, "theirs": case.theirs}
    with FAULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**line, "manifest": case.manifest}) + "\n")


def _text(case: Case) -> str:
    shown = yaml.safe_dump(case.manifest, sort_keys=False)
    return (
        f"{shown}---\nseed {case.seed}: {case.verdict}\nwe: {case.ours}\nthe server: {case.theirs}"
    )


if __name__ == "__main__":
    sys.exit(main())
