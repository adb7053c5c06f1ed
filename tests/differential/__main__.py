# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs KServe's own controller beside the renderer: seed after seed, until the time is over.

A seed that was done is not done again: its findings stand in a file below build/differential.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from typing import Any

import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.settings import (
    Settings,
)
from tests.lab import paths

from . import admission, build, llm_plane
from .batch import Batch, Outcome
from .judge import judge
from .llm_inputs import Generator
from .llm_system import system_for
from .plane import Plane
from .readiness import statuses
from .reproduce import reproduce

Json = dict[str, Any]
OUTPUT = paths.CHECKOUT / "build" / "differential"


def main() -> int:
    """Return 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument(
        "--seeds", type=int, default=1, help="how many seeds, one control plane each"
    )
    parser.add_argument("--cases", type=int, default=100, help="services of a seed")
    parser.add_argument("--minutes", type=float, default=600, help="no new seed after that")
    parser.add_argument("--recorded", action="store_true", help="try the rig with recorded inputs")
    parser.add_argument("--admission", action="store_true", help="ask the API server alone")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit("ended"))
    end = time.monotonic() + 60 * chosen.minutes
    programs = build.built(build.LLM, print)
    if chosen.recorded:
        return bool(reproduce(programs))
    OUTPUT.mkdir(parents=True, exist_ok=True)
    if chosen.admission:
        return ask(programs, chosen.first, chosen.seeds, chosen.cases)
    wrong = cases = 0
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        record = OUTPUT / f"llm-{seed}-{chosen.cases}.json"
        if not record.exists():
            if time.monotonic() > end:
                break
            record.write_text(json.dumps(explore(programs, seed, chosen.cases)))
        found = json.loads(record.read_text())
        cases += found["cases"]
        wrong += len(found["differences"])
        told = f"{found['admitted']} admitted, {found['refused']} refused by both, {len(found['differences'])} differ"
        print(
            f"seed {seed}: {found['cases']} services, {told}, {found['seconds']:.0f} s", flush=True
        )
    print(f"{cases - wrong} passed, {wrong} failed")
    return bool(wrong)


def ask(programs: build.Programs, first: int, seeds: int, count: int) -> int:
    """Compare verdicts about requests of some seeds; return 1 where one differs."""
    system, dummy, environment = system_for(random.Random(0))
    wrong = 0
    with Plane(programs, llm_plane.definitions(), llm_plane.webhooks(), environment) as plane:
        Batch(plane, statuses).system(system)
        plane.start_controller()
        for seed in range(first, first + seeds):
            found = admission.compare(plane, admission.requests(seed, count))
            wrong += len(found)
            for document, line in found:
                print(f"seed {seed}, {document['apiVersion']}: {line[:700]}", flush=True)
            (OUTPUT / f"admission-{seed}.yaml").write_text(
                yaml.safe_dump_all([document for document, dummy in found], sort_keys=False)
            )
    print(f"{seeds * count - wrong} passed, {wrong} failed")
    return bool(wrong)


def explore(programs: build.Programs, seed: int, count: int) -> Json:
    """Return what one seed shows."""
    began = time.monotonic()
    chance = random.Random(seed)
    system, settings, environment = system_for(chance)
    cases = Generator(seed).cases(count)
    with Plane(programs, llm_plane.definitions(), llm_plane.webhooks(), environment) as plane:
        batch = Batch(plane, statuses)
        batch.system(system)
        plane.start_controller()
        outcomes = batch.run(cases)
    differences = {}
    for outcome in outcomes:
        lines = judged(outcome, system, settings)
        if lines:
            differences[outcome.case.namespace] = lines
            show(outcome, lines)
    admitted = sum(each.refusal is None for each in outcomes)
    return {
        "cases": count,
        "admitted": admitted,
        "refused": count - admitted,
        "differences": differences,
        "seconds": time.monotonic() - began,
    }


def judged(outcome: Outcome, system: Sequence[Json], settings: Settings) -> list[str]:
    """Return the differences of one service; an exception of ours is one."""
    try:
        return judge(outcome, system, settings)
    except Exception:  # noqa: BLE001
        return [f"exception: {traceback.format_exc()[-1500:]}"]


def show(outcome: Outcome, lines: Sequence[str]) -> None:
    """Write the case into a file and its differences to the terminal."""
    case = outcome.case
    folder = OUTPUT / case.namespace
    folder.mkdir(exist_ok=True)
    (folder / "input.yaml").write_text(yaml.safe_dump(case.document, sort_keys=False))
    (folder / "context.yaml").write_text(yaml.safe_dump_all(list(case.context), sort_keys=False))
    (folder / "sent.yaml").write_text(yaml.safe_dump_all(outcome.sent, sort_keys=False))
    (folder / "refusal.json").write_text(json.dumps(outcome.refusal))
    (folder / "statuses.json").write_text(
        json.dumps([outcome.status(0), outcome.status(1), sorted(set(outcome.events))], indent=1)
    )
    print(
        f"DIFF {case.namespace} (mood {case.mood})",
        *(each[:900] for each in lines[:8]),
        sep="\n    ",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
