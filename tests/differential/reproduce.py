# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives recorded inputs to the controller once more: what comes out must be what was recorded, or the rig is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import without
from tests.parity.compare import Key, by_key, differences, reduced
from tests.parity.recorded_llm_services import read_all

from . import build
from .batch import Case, Outcome
from .judge import bare, plain
from .judged import Kind
from .record import run
from .recordings import moved

Json = dict[str, Any]
_POD: Key = ("v1", "Pod", "", "")
#: What kubectl wrote, through which some cases were recorded.
_LAST_APPLIED = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")


def reproduce(kind: Kind, programs: build.Programs, release: KServe) -> int:
    """Return how many recorded cases come out otherwise; those that need another cluster or controller are left out."""
    count = wrong = 0
    for group in kind.recorded(release):
        recorded = {folder: one for folder, one in group.cases.items() if _is_recorded(folder)}
        ready = {
            case.namespace: read_all(folder / "ready.yaml")
            for folder, case in recorded.items()
            if (folder / "ready.yaml").exists()
        }

        def statuses(
            case: Case, objects: list[Json], phase: int, known: Any = ready
        ) -> Sequence[Json]:
            return known.get(case.namespace) or kind.statuses(case, objects, phase)

        outcomes, dummy = run(kind, programs, release, group._replace(cases=recorded), statuses)
        for folder, outcome in zip(recorded, outcomes, strict=True):
            lines = list(_lines(kind, folder, outcome))
            count, wrong = count + 1, wrong + bool(lines)
            if lines:
                print(folder.name, *(line[:900] for line in lines), sep="\n    ")
    print(f"{count - wrong} passed, {wrong} failed")
    return wrong


def _is_recorded(folder: Path) -> bool:
    return (folder / "status.yaml").exists()


def _lines(kind: Kind, folder: Path, outcome: Outcome) -> Iterator[str]:
    home = kind.home(folder)

    def read(name: str) -> list[Json]:
        found: list[Json] = moved(list(read_all(folder / name)), home, outcome.case.namespace)
        return found

    (status,) = read("status.yaml")
    if "refusal" in status:
        if (outcome.refusal or {}).get("message") != status["refusal"]:
            yield f"refusal: {outcome.refusal} instead of {status['refusal']}"
        return
    refused = {
        each["body"]["metadata"]["name"] for each in outcome.rejected if each["method"] == "POST"
    }
    recorded = [one for one in read("intent.yaml") if one["metadata"]["name"] not in refused]
    theirs = by_key(plain(without(one, _LAST_APPLIED)) for one in recorded)
    yield from differences(by_key(map(plain, kind.made(outcome.sent))), theirs)
    for phase, names in enumerate((("initial", "first"), ("ready",))):
        wanted = next((bare(status[name] or {}) for name in names if name in status), {})
        if _text(bare(outcome.status(phase))) != _text(wanted):
            yield f"{names[0]}: {bare(outcome.status(phase))} instead of {wanted}"
    for (dummy, answer), pod in zip(outcome.pods, read("pod-out.yaml"), strict=False):
        yield from _pod_lines(answer, pod)


def _pod_lines(answer: Json, recorded: Json) -> Iterator[str]:
    if "error" in recorded or "refusal" in answer:
        said = (recorded.get("error") or {}).get("message")
        if said not in answer.get("refusal", ""):
            yield f"pod: {answer.get('refusal')} instead of {said}"
        return
    yield from differences({_POD: reduced(answer["pod"])}, {_POD: reduced(recorded)})


def _text(status: Json) -> str:
    return re.sub(r"config:1:(<offset>|\d+):", "config:1:", str(status))
