# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes recordings: what the controller of a release does with the cases that have a folder among its recordings.

A folder is made by hand, with `input.yaml` and `context.yaml`, or empty for a case whose input is there already.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe

from . import build, meant
from .batch import Batch, Case, Outcome
from .judge import plain
from .judged import Kind
from .recordings import Group, moved

Json = dict[str, Any]
_SERVER_OWNED = ("uid", "resourceVersion", "managedFields", "creationTimestamp", "generation")


def record(kind: Kind, programs: build.Programs, release: KServe) -> int:
    """Record every case of a release; return how many were not given."""
    count = 0
    for group in kind.recorded(release):
        outcomes, reported = run(kind, programs, release, group, kind.statuses)
        for folder, outcome in zip(group.cases, outcomes, strict=True):
            _write(kind, folder, outcome, reported.get(outcome.case.namespace, ()))
            count += 1
    print(f"{count} passed, 0 failed")
    return 0


def run(
    kind: Kind,
    programs: build.Programs,
    release: KServe,
    group: Group,
    statuses: Callable[[Case, list[Json], int], Sequence[Json]],
) -> tuple[list[Outcome], Mapping[str, Sequence[Json]]]:
    """Give a group of cases to the controller until all is well. Also return what was reported in the end, by namespace."""
    reported: dict[str, list[Json]] = {}

    def report(case: Case, objects: list[Json], phase: int) -> list[Json]:
        reported[case.namespace] = list(statuses(case, objects, phase))
        return reported[case.namespace]

    watched = kind.watched(release)
    with kind.plane(programs, release, group.around.environment) as plane:
        batch = Batch(plane, dataclasses.replace(watched, phases=watched.phases[:1]), report)
        batch.system(group.around.system)
        plane.start_controller()
        outcomes = batch.run(list(group.cases.values()))
        kind.look_on(plane, outcomes)
    return outcomes, reported


def _write(kind: Kind, folder: Path, outcome: Outcome, reported: Iterable[Json]) -> None:
    found = {
        "intent.yaml": [bare(plain(one)) for one in kind.made(outcome.sent)],
        "rejected.yaml": [
            refused_write(one) for one in outcome.rejected if "/status" not in one["path"]
        ],
        "ready.yaml": list(reported) if outcome.refusal is None else [],
        "status.yaml": [_statuses(outcome)],
        "pod-in.yaml": [bare(before) for before, dummy in outcome.pods],
        "pod-out.yaml": [_answer(after) for dummy, after in outcome.pods],
    }
    home = kind.home(folder)
    write(folder, moved(found, outcome.case.namespace, home))


def write(folder: Path, files: Mapping[str, Sequence[Any]]) -> None:
    """Write the documents of each file of a case; one that has none is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, documents in files.items():
        path = folder / name
        path.unlink(missing_ok=True)
        if documents:
            path.write_text(yaml.safe_dump_all(documents, explicit_start=True), encoding="utf-8")


def _answer(answer: Json) -> Any:
    return bare(answer["pod"]) if "pod" in answer else {"error": {"message": answer["refusal"]}}


def _statuses(outcome: Outcome) -> Json:
    if outcome.refusal is not None:
        return {"refusal": outcome.refusal["message"]}
    return {name: bare(outcome.status(phase)) for phase, name in enumerate(("initial", "ready"))}


def refused_write(entry: Json) -> Json:
    """Return what the API server said of a write."""
    body = entry.get("body") or {}
    named = {key: body.get(key) for key in ("apiVersion", "kind")}
    name = (body.get("metadata") or {}).get("name")
    said = (entry.get("refusal") or {}).get("message")
    return {"method": entry["method"], **named, "name": name, "message": said}


def bare(value: Any) -> Any:
    """Return what does not differ each time."""
    if isinstance(value, list):
        return [bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: bare(each) for key, each in value.items() if key not in _SERVER_OWNED}
    if "lastTransitionTime" in found:
        found["lastTransitionTime"] = "<time>"
    return meant.shown(found)
