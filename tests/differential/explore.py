# SPDX-License-Identifier: GPL-3.0-or-later
"""Services given to a controller and judged; each that differs is written down, with what its controller did."""

from __future__ import annotations

import json
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
    began = time.monotonic()
    system, settings, environment = around
    with kind.plane(programs, settings.release, environment) as plane:
        batch = Batch(plane, kind.watched(settings.release), kind.statuses)
        batch.system(system)
        plane.start_controller()
        outcomes = batch.run(cases)
        for outcome in outcomes:
            kind.look_on(plane, outcome)
    differences = {}
    for outcome in outcomes:
        lines = _judged(kind, outcome, around)
        if lines:
            differences[outcome.case.namespace] = lines
            _show(outcome, system, folder / outcome.case.namespace, lines)
    admitted = sum(each.refusal is None for each in outcomes)
    return {
        "cases": len(cases),
        "admitted": admitted,
        "refused": len(cases) - admitted,
        "differences": differences,
        "seconds": time.monotonic() - began,
    }


def _judged(kind: Kind, outcome: Outcome, around: Surroundings) -> list[str]:
    """Return the differences of one service; an exception of ours is one."""
    try:
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
