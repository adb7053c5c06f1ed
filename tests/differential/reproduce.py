# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives recorded inputs to the controller once more: what comes out must be what was recorded, or the rig is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.parity.compare import by_key, differences
from tests.parity.recorded_llm_services import RECORDINGS, cases, read_all

from . import build, llm_plane
from .batch import Batch, Case, Outcome
from .judge import bare, plain
from .plane import Plane

Json = dict[str, Any]


def reproduce(programs: build.Programs) -> int:
    """Return how many recorded cases come out otherwise; those that need another cluster or controller are left out."""
    shared = [
        one for path in sorted((RECORDINGS / "context").glob("*.yaml")) for one in read_all(path)
    ]
    folders = {folder.name: folder for folder in cases() if _is_plain(folder)}
    given = [_case(folder) for folder in folders.values()]
    ready = {
        case.namespace: folder / "ready.yaml"
        for case, folder in zip(given, folders.values(), strict=True)
    }
    with Plane(programs, llm_plane.definitions(), llm_plane.webhooks()) as plane:
        batch = Batch(plane, lambda case, _objects: list(read_all(ready[case.namespace])))
        batch.system(shared)
        plane.start_controller()
        outcomes = batch.run(given)
    wrong = 0
    for folder, outcome in zip(folders.values(), outcomes, strict=True):
        lines = list(_lines(folder, outcome))
        wrong += bool(lines)
        if lines:
            print(folder.name, *(line[:900] for line in lines), sep="\n    ")
    print(f"{len(folders) - wrong} passed, {wrong} failed")
    return wrong


def _is_plain(folder: Path) -> bool:
    context = read_all(folder / "context.yaml")
    apart = any(each["metadata"].get("namespace") == "kserve" for each in context)
    return not (folder / "controller.yaml").exists() and not apart


def _case(folder: Path) -> Case:
    (document,) = read_all(folder / "input.yaml")
    account = not folder.name.startswith("cred-no-default-sa")
    return Case(
        document["metadata"]["namespace"],
        document,
        read_all(folder / "context.yaml"),
        account=account,
    )


def _lines(folder: Path, outcome: Outcome) -> Iterator[str]:
    refused = {
        each["body"]["metadata"]["name"] for each in outcome.rejected if each["method"] == "POST"
    }
    recorded = [
        each for each in read_all(folder / "intent.yaml") if each["metadata"]["name"] not in refused
    ]
    yield from differences(by_key(map(plain, outcome.sent)), by_key(map(plain, recorded)))
    (status,) = read_all(folder / "status.yaml")
    for phase, name in enumerate(("initial", "ready")):
        if _text(bare(outcome.status(phase))) != _text(bare(status[name] or {})):
            yield f"{name}: {bare(outcome.status(phase))} instead of {bare(status[name] or {})}"


def _text(status: Json) -> str:
    return re.sub(r"config:1:(<offset>|\d+):", "config:1:", str(status))
