# SPDX-License-Identifier: GPL-3.0-or-later
"""Spoils services and counts what a task tells of each mistake: at its field, elsewhere, or nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from . import command_lines, engines, fields, groups, metadata, models, pods, values
from .places import Spoilt
from .registry import MISTAKES, Service
from .sources import Source

Json = dict[str, Any]
Verdict = Literal["field", "elsewhere", "silent"]
VERDICTS: tuple[Verdict, ...] = ("field", "elsewhere", "silent")
#: Where kinds of mistakes are defined; importing them registers these.
FILES = (fields, values, pods, command_lines, engines, groups, metadata, models)
#: Of one kind of mistake, so many places in one service are spoilt.
PLACES = 2


@dataclass
class Tally:
    """Counts by kind of mistake, and what was not told at its field."""

    counts: dict[str, Counter[Verdict]] = field(default_factory=dict)
    missed: list[tuple[str, Verdict, str, Spoilt, list[Json]]] = field(default_factory=list)

    def add(self, name: str, source: Source, spoilt: Spoilt, new: list[Json]) -> None:
        """Count one spoilt service. new: what is told of it and not of the right one."""
        verdict = judged(spoilt, new)
        self.counts.setdefault(name, Counter())[verdict] += 1
        if verdict != "field":
            self.missed.append((name, verdict, source.name, spoilt, new))

    @property
    def total(self) -> int:
        """How many services were spoilt."""
        return sum(sum(each.values()) for each in self.counts.values())

    @property
    def share(self) -> float:
        """The part that was told at its field."""
        return sum(each["field"] for each in self.counts.values()) / max(self.total, 1)

    def rows(self) -> Iterator[str]:
        """Yield the table, worst first."""
        yield f"{'kind of mistake':40} {'made':>6} {'field':>6} {'else':>6} {'silent':>6}"
        worst = sorted(
            self.counts.items(), key=lambda each: each[1]["field"] - sum(each[1].values())
        )
        for name, count in worst:
            cells = " ".join(f"{count[verdict]:6}" for verdict in VERDICTS)
            yield f"{name:40} {sum(count.values()):6} {cells}"


def judged(spoilt: Spoilt, new: Iterable[Mapping[str, Any]]) -> Verdict:
    """Return how well a mistake is told: at one of its fields or below, somewhere else, or not at all."""
    paths = [str(each["path"]) for each in new]
    if any(is_at(path, wanted) for path in paths for wanted in spoilt.fields):
        return "field"
    return "elsewhere" if paths else "silent"


def is_at(path: str, wanted: str) -> bool:
    """Tell whether a path is a field, or something in it."""
    return path == wanted or (
        path.startswith(wanted) and path[len(wanted) : len(wanted) + 1] in ".["
    )


def spoilt_forms(service: Service, seed: int) -> Iterator[tuple[str, Spoilt]]:
    """Yield a service with each kind of mistake, in a few of the places where it can be made. seed: chooses them."""
    for name, make in MISTAKES.items():
        forms = [each for each in make(service) if each.document != service.document]
        chosen = random.Random(f"{seed} {name} {service.source.name}")
        yield from ((name, each) for each in chosen.sample(forms, min(PLACES, len(forms))))


def tally(sources: Sequence[Source], seed: int, *, sample: int = 0) -> Tally:
    """Return what is told of spoilt services. sample: of so many, each kind of mistake as often as any other; 0 for all."""
    forms = [
        (name, source, spoilt)
        for source in sources
        for name, spoilt in spoilt_forms(Service(source), seed)
    ]
    if sample:
        forms = _sampled(forms, sample, seed)
    found = Tally()
    right: dict[str, set[tuple[str, str]]] = {}
    for name, source, spoilt in forms:
        if source.name not in right:
            right[source.name] = {_key(each) for each in source.told(source.document)}
        new = [
            each
            for each in source.told(spoilt.document)
            if each["severity"] != "info" and _key(each) not in right[source.name]
        ]
        found.add(name, source, spoilt, new)
    return found


def _key(problem: Mapping[str, Any]) -> tuple[str, str]:
    return str(problem["path"]), str(problem["message"])


def _sampled(
    forms: Sequence[tuple[str, Source, Spoilt]], count: int, seed: int
) -> list[tuple[str, Source, Spoilt]]:
    chosen = random.Random(seed)
    by_kind: dict[str, list[tuple[str, Source, Spoilt]]] = {}
    for form in forms:
        by_kind.setdefault(form[0], []).append(form)
    each = max(1, count // len(by_kind))
    return [
        form for group in by_kind.values() for form in chosen.sample(group, min(each, len(group)))
    ]
