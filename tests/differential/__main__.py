# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs KServe's own controllers beside the renderer: seed after seed, until the time is over.

A seed that was done is not done again: its findings are in a file below build/differential, and what the controller did, too.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.lab import paths

from . import admission, build
from .batch import Batch
from .explore import explore
from .judged import KINDS, Kind
from .modules import MODULES, release_of
from .record import record
from .reproduce import reproduce

Json = dict[str, Any]
OUTPUT = paths.CHECKOUT / "build" / "differential"


def main() -> int:
    """Return 1 where something differs."""
    chosen = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit("ended"))
    kind, release = KINDS[chosen.kind], release_of(chosen.release)
    programs = build.built(kind.controller(MODULES[release].kserve), print)
    folder = OUTPUT / kind.name / str(release) / ("updates" if chosen.updates else "")
    folder.mkdir(parents=True, exist_ok=True)
    if chosen.recorded or chosen.record:
        return bool((record if chosen.record else reproduce)(kind, programs, release))
    if chosen.admission:
        seeds = range(chosen.first, chosen.first + chosen.seeds)
        return _total(_admission(kind, programs, chosen, seeds, folder))
    if chosen.known:
        groups = enumerate(kind.known(release))
        return _total(
            explore(
                kind, programs, group.around, list(group.cases.values()), folder / f"known-{number}"
            )
            for number, group in groups
        )
    return _total(_seeds(kind, programs, chosen, folder))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.differential")
    releases = [str(release) for release in MODULES]
    parser.add_argument("--kind", choices=list(KINDS), default="llm", help="of services")
    parser.add_argument("--release", choices=releases, default="0.17", help="of KServe")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument(
        "--seeds", type=int, default=1, help="how many seeds, one control plane each"
    )
    parser.add_argument("--cases", type=int, default=100, help="services of a seed")
    parser.add_argument("--minutes", type=float, default=600, help="no new seed after that")
    parser.add_argument("--updates", action="store_true", help="let services become others")
    parser.add_argument("--again", action="store_true", help="judge what is kept of a seed anew")
    parser.add_argument("--known", action="store_true", help="judge the inputs recorded of 0.17")
    parser.add_argument("--recorded", action="store_true", help="try the rig with recorded inputs")
    parser.add_argument("--record", action="store_true", help="write the recordings of a release")
    parser.add_argument("--admission", action="store_true", help="ask the API server alone")
    return parser


def _total(results: Iterator[Json]) -> int:
    """Print how all went; return 1 where something differs."""
    cases = wrong = 0
    for found in results:
        cases += found["cases"]
        wrong += len(found["differences"])
    print(f"{cases - wrong} passed, {wrong} failed")
    return int(wrong > 0)


def _seeds(
    kind: Kind, programs: build.Programs, chosen: argparse.Namespace, folder: Path
) -> Iterator[Json]:
    end = time.monotonic() + 60 * chosen.minutes
    release = release_of(chosen.release)
    cases_of = kind.updates if chosen.updates and kind.updates else kind.cases
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        kept = folder / f"{seed}-{chosen.cases}.json"
        if chosen.again or not kept.exists():
            if time.monotonic() > end:
                return
            cases = cases_of(seed, release, chosen.cases)
            around = kind.surroundings(seed, release)
            kept.write_text(json.dumps(explore(kind, programs, around, cases, folder / str(seed))))
        found = json.loads(kept.read_text())
        told = f"{found['admitted']} admitted, {found['refused']} refused by both, {len(found['differences'])} differ"
        print(
            f"seed {seed}: {found['cases']} services, {told}, {found['seconds']:.0f} s", flush=True
        )
        yield found


def _admission(
    kind: Kind, programs: build.Programs, chosen: argparse.Namespace, seeds: range, folder: Path
) -> Iterator[Json]:
    """Compare verdicts about requests of some seeds."""
    release = release_of(chosen.release)
    for seed in seeds:
        around = kind.surroundings(seed, release)
        documents = kind.requests(seed, chosen.cases, release)
        with kind.plane(programs, release, around.environment) as plane:
            Batch(plane, kind.watched(release), kind.statuses).system(around.system)
            plane.start_controller()
            refusals = admission.refusals(plane, documents)
        verdicts = [kind.verdict(one, around) for one in documents]
        found = admission.differences(documents, refusals, verdicts)
        for document, line in found:
            print(f"seed {seed}, {document['apiVersion']}: {line[:700]}", flush=True)
        told = f"{sum(map(bool, refusals))} refused by the API, {len(found)} differ"
        print(f"seed {seed}: {len(documents)} requests, {told}", flush=True)
        path = folder / f"admission-{seed}.yaml"
        path.write_text(yaml.safe_dump_all([one for one, dummy in found], sort_keys=False))
        yield {"cases": chosen.cases, "differences": found}


if __name__ == "__main__":
    sys.exit(main())
