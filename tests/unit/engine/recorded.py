# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as a real API server stored them after an apply of ours (Kubernetes 1.36.3); `record` makes the files."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

from module_utils.engine.desired import Desired
from module_utils.kube.canonical import canonical_json
from module_utils.kube.intent import Stage
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference

FOLDER = Path(__file__).parent / "recordings"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Case:
    """What we wanted, what was there, and where it was recorded what an apply made of it."""

    name: str
    desired: Desired
    uid: str
    live: Json
    after: Json
    settles: bool

    def copy(self) -> Json:
        """Return the live object, to be changed."""
        copy: Json = json.loads(json.dumps(self.live))
        return copy

    def __repr__(self) -> str:
        return f"<{self.name}>"


@cache
def cases(file: str) -> tuple[Case, ...]:
    """Return the recorded cases of a file."""
    recorded = json.loads((FOLDER / f"{file}.json").read_text(encoding="utf-8"))
    return tuple(
        Case(
            each["name"],
            from_json(each["desired"]),
            each["uid"],
            each["live"],
            each.get("after", {}),
            each.get("settles", True),
        )
        for each in recorded
    )


def case(file: str, name: str) -> Case:
    """Return one recorded case."""
    return next(each for each in cases(file) if each.name == name)


def to_json(wanted: Desired) -> Json:
    """Return an object to apply as it is recorded."""
    return {
        "reference": list(astuple(wanted.reference)),
        "service": list(astuple(wanted.service)),
        "stage": int(wanted.stage),
        "body": json.loads(wanted.body),
        "digest": wanted.digest,
        "unclaimed": [[list(path), value] for path, value in wanted.unclaimed.items()],
        "parent": list(astuple(wanted.parent)) if wanted.parent else None,
    }


def from_json(recorded: Json) -> Desired:
    """Return an object to apply as the engine has it. The digest is the recorded one: a test compares it with today's."""
    return Desired(
        reference=Reference(*recorded["reference"]),
        service=Reference(*recorded["service"]),
        stage=Stage(recorded["stage"]),
        body=canonical_json(recorded["body"]),
        digest=recorded["digest"],
        unclaimed={tuple(path): value for path, value in recorded["unclaimed"]},
        parent=Reference(*recorded["parent"]) if recorded["parent"] else None,
    )
