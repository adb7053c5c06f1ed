# SPDX-License-Identifier: GPL-3.0-or-later
"""Services given to a controller and judged; each that differs is written down, with what its controller did.

What a controller did is kept, so that it can be judged once more when a rule or the judge was mended.
"""

from __future__ import annotations

import json
import pickle
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from .batch import Batch, Case, Outcome
from .build import Programs
from .judged import Kind
from .recordings import Surroundings

Json = dict[str, Any]


def explore(
    kind: Kind, programs: Programs, around: Surroundings, cases: Sequence[Case], folder: Path
) -> Json:
    """Return where the controller and we disagree about some services. folder: where they are written down."""
    kept = folder / f"outcomes-{len(cases)}.pickle"
    if not kept.exists():
        outcomes = _outcomes(kind, programs, around, cases)
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(outcomes))
    return _differences(kind, pickle.loads(kept.read_bytes()), around, folder)  # noqa: S301


def _outcomes(
    kind: Kind, programs: Programs, around: Surroundings, cases: Sequence[Case]
) -> list[Outcome]:
    system, settings, environment = around
    with kind.plane(programs, settings.release, environment) as plane:
        batch = Batch(plane, kind.watched(settings.release), kind.statuses)
        batch.system(system)
        plane.start_controller()
        outcomes = batch.run(cases)
        kind.look_on(plane, outcomes)
    return outcomes


def _differences(
    kind: Kind, outcomes: Sequence[Outcome], around: Surroundings, folder: Path
) -> Json:
    began = time.monotonic()
    differences = {}
    for outcome in outcomes:
        lines = _judged(kind, outcome, around)
        if lines:
            differences[outcome.case.namespace] = lines
            _show(outcome, around.system, folder / outcome.case.namespace, lines)
    admitted = sum(each.refusal is None for each in outcomes)
    return {
        "cases": len(outcomes),
        "admitted": admitted,
        "refused": len(outcomes) - admitted,
        "differences": differences,
        "seconds": time.monotonic() - began,
    }


def _judged(kind: Kind, outcome: Outcome, around: Surroundings) -> list[str]:
    """Return the differences of one service; an exception of ours is one."""
    try:
        if outcome.case.becomes and kind.judge_update:
            return list(kind.judge_update(outcome, around.system, around.settings))
        return kind.judge(outcome, around.system, around.settings)
    except Exception:  # noqa: BLE001
        return [f"exception: {traceback.format_exc()[-1500:]}"]


def _show(outcome: Outcome, system: Sequence[Json], folder: Path, lines: Sequence[str]) -> None:
    """Write the case into files and its differences to the terminal."""
    case = outcome.case
    folder.mkdir(parents=True, exist_ok=True)
    documents = {
        "input": [case.document],
        "context": list(case.context),
        "system": list(system),
        "sent": outcome.sent,
        "pods": [part for pair in outcome.pods for part in pair],
    }
    for name, found in documents.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump_all(found, sort_keys=False))
    (folder / "refusal.json").write_text(json.dumps(outcome.refusal))
    told = [*map(outcome.status, range(len(outcome.snapshots))), sorted(set(outcome.events))]
    (folder / "statuses.json").write_text(json.dumps(told, indent=1))
    print(
        f"DIFF {case.namespace} (mood {case.mood})",
        *(each[:900] for each in lines[:8]),
        sep="\n    ",
        flush=True,
    )
