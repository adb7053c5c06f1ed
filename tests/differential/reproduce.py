# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives recorded inputs to the controller once more: what comes out must be what was recorded, or the rig is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from tests.parity.compare import by_key, differences
from tests.parity.recorded_llm_services import (
    LATER,
    RECORDINGS,
    cases,
    given,
    later_cases,
    read_all,
    shared_context,
)

from . import build, llm_plane
from .batch import Batch, Case, Outcome
from .judge import bare, plain

Json = dict[str, Any]


def known_cases() -> list[Case]:
    """Return the recorded inputs, but for those that need another cluster or controller."""
    return [case_of(folder) for folder in cases() if is_plain(folder)]


def reproduce(programs: build.Programs, release: KServe) -> int:
    """Return how many recorded cases come out otherwise; those that need another cluster or controller are left out."""
    recorded = later_cases(release) if release in LATER else cases()
    folders = {folder.name: folder for folder in recorded if is_plain(folder)}
    given_cases = [case_of(folder) for folder in folders.values()]
    ready = {
        case.namespace: folder / "ready.yaml"
        for case, folder in zip(given_cases, folders.values(), strict=True)
    }
    with llm_plane.plane(programs, release, {}) as plane:
        batch = Batch(
            plane,
            llm_plane.watched(release),
            lambda case, _objects, _phase: list(read_all(ready[case.namespace])),
        )
        batch.system(shared_context(LATER.get(release, RECORDINGS)))
        plane.start_controller()
        outcomes = batch.run(given_cases)
    wrong = 0
    for folder, outcome in zip(folders.values(), outcomes, strict=True):
        lines = list(_lines(folder, outcome))
        wrong += bool(lines)
        if lines:
            print(folder.name, *(line[:900] for line in lines), sep="\n    ")
    print(f"{len(folders) - wrong} passed, {wrong} failed")
    return wrong


def is_plain(folder: Path) -> bool:
    """Tell whether a case needs nothing of its own in the namespace of the controller, or of the controller itself."""
    context = given(folder, "context.yaml")
    apart = any(each["metadata"].get("namespace") == "kserve" for each in context)
    return not given(folder, "controller.yaml") and not apart


def case_of(folder: Path) -> Case:
    """Return a recorded case."""
    (document,) = given(folder, "input.yaml")
    account = not folder.name.startswith("cred-no-default-sa")
    return Case(
        document["metadata"]["namespace"],
        document,
        given(folder, "context.yaml"),
        account=account,
    )


def _lines(folder: Path, outcome: Outcome) -> Iterator[str]:
    (status,) = read_all(folder / "status.yaml")
    if "refusal" in status:
        if (outcome.refusal or {}).get("message") != status["refusal"]:
            yield f"refusal: {outcome.refusal} instead of {status['refusal']}"
        return
    refused = {
        each["body"]["metadata"]["name"] for each in outcome.rejected if each["method"] == "POST"
    }
    recorded = [
        each for each in read_all(folder / "intent.yaml") if each["metadata"]["name"] not in refused
    ]
    yield from differences(by_key(map(plain, outcome.sent)), by_key(map(plain, recorded)))
    for phase, name in enumerate(("initial", "ready")):
        if _text(bare(outcome.status(phase))) != _text(bare(status[name] or {})):
            yield f"{name}: {bare(outcome.status(phase))} instead of {bare(status[name] or {})}"


def _text(status: Json) -> str:
    return re.sub(r"config:1:(<offset>|\d+):", "config:1:", str(status))
