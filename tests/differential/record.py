# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes recordings: what the controller of a release does with the cases that have a folder among its recordings.

A folder is made by hand, with `input.yaml` and `context.yaml`, or empty for a case of the first release.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from tests.parity.recorded_llm_services import LATER, shared_context

from . import build, llm_plane, meant
from .batch import Batch, Case, Outcome
from .judge import plain
from .readiness import statuses
from .reproduce import case_of, is_plain

Json = dict[str, Any]
_SERVER_OWNED = ("uid", "resourceVersion", "managedFields", "creationTimestamp", "generation")


def record(programs: build.Programs, release: KServe) -> int:
    """Record every case of a release; return how many could not be."""
    root = LATER[release]
    folders = [one for one in sorted(root.iterdir()) if one.is_dir() and one.name != "context"]
    asked = [one for one in folders if is_plain(one)]
    cases = [case_of(folder) for folder in asked]
    reported: dict[str, list[Json]] = {}

    def report(case: Case, objects: list[Json], phase: int) -> list[Json]:
        reported[case.namespace] = statuses(case, objects, phase)
        return reported[case.namespace]

    with llm_plane.plane(programs, release, {}) as plane:
        batch = Batch(plane, llm_plane.watched(release), report)
        batch.system(shared_context(root))
        plane.start_controller()
        outcomes = batch.run(cases)
    for folder, outcome in zip(asked, outcomes, strict=True):
        _write(folder, outcome, reported.get(outcome.case.namespace, []))
    print(f"{len(asked)} passed, {len(folders) - len(asked)} failed")
    return len(folders) - len(asked)


def _write(folder: Path, outcome: Outcome, reported: Iterable[Json]) -> None:
    found = {
        "intent.yaml": [_bare(plain(one)) for one in outcome.sent],
        "rejected.yaml": [
            _refused(one) for one in outcome.rejected if "/status" not in one["path"]
        ],
        "ready.yaml": list(reported) if outcome.refusal is None else [],
        "status.yaml": [_statuses(outcome)],
    }
    for name, documents in found.items():
        path = folder / name
        path.unlink(missing_ok=True)
        if documents:
            path.write_text(yaml.safe_dump_all(documents, explicit_start=True), encoding="utf-8")


def _statuses(outcome: Outcome) -> Json:
    if outcome.refusal is not None:
        return {"refusal": outcome.refusal["message"]}
    return {name: _bare(outcome.status(phase)) for phase, name in enumerate(("initial", "ready"))}


def _refused(entry: Json) -> Json:
    body = entry.get("body") or {}
    named = {key: body.get(key) for key in ("apiVersion", "kind")}
    name = (body.get("metadata") or {}).get("name")
    said = (entry.get("refusal") or {}).get("message")
    return {"method": entry["method"], **named, "name": name, "message": said}


def _bare(value: Any) -> Any:
    """Return what does not differ each time."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: _bare(each) for key, each in value.items() if key not in _SERVER_OWNED}
    if "lastTransitionTime" in found:
        found["lastTransitionTime"] = "<time>"
    return meant.without_script(found)
