# SPDX-License-Identifier: GPL-3.0-or-later
"""The long run of what the API refuses: `make fuzz-pods`, `make fuzz-pods ARGS='--seed 17'` to do one case again.

Valid objects and services of all kinds are spoilt, and judged by our rules and by an API server's dry run. Ended and started again,
it goes on where it was; each disagreement stands in build/fuzz/pods.jsonl.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from pathlib import Path

import yaml

from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE
from tests.lab.fixtures import fresh_namespace

from .judge import Case
from .rounds import cases

BUILD = Path(__file__).parents[3] / "build" / "fuzz"
STATE, FAULTS = BUILD / "pods.json", BUILD / "pods.jsonl"
#: Cases between two looks at how far it is.
BATCH = 200


def main() -> int:
    """Run; 1 where we and the server disagreed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.pods", description=__doc__)
    parser.add_argument(
        "--cases", type=int, default=10_000, help="how many, those of earlier runs included"
    )
    parser.add_argument("--seed", type=int, help="do one case again")
    parser.add_argument("--afresh", action="store_true", help="forget earlier runs")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit("ended"))
    if options.afresh:
        STATE.unlink(missing_ok=True)
        FAULTS.unlink(missing_ok=True)
    with (
        ControlPlane(nodes="none", crds=(*MODEL_SERVICE, "lws")) as plane,
        fresh_namespace(plane.client, "pods") as namespace,
    ):
        if options.seed is not None:
            found = list(cases(plane.client, namespace, range(options.seed, options.seed + 1)))
            print("\n".join(_text(case) for case in found))
            return int(any(_is_fault(case) for case in found))
        counted: Counter[str] = Counter(_earlier())
        while (begin := counted["cases"]) < options.cases:
            end = min(begin + BATCH, options.cases)
            for case in cases(plane.client, namespace, range(begin, end)):
                counted[case.verdict] += 1
                if _is_fault(case):
                    _keep(case)
            counted["cases"] = end
            BUILD.mkdir(parents=True, exist_ok=True)
            STATE.write_text(json.dumps(counted), encoding="utf-8")
            print(", ".join(f"{count} {what}" for what, count in counted.items()), flush=True)
    return int(counted["missed"] + counted["wrong"] > 0)


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


def _earlier() -> dict[str, int]:
    try:
        found: dict[str, int] = json.loads(STATE.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


if __name__ == "__main__":
    sys.exit(main())
