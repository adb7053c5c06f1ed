# SPDX-License-Identifier: GPL-3.0-or-later
"""The conditions of a service, of which Ready follows from others each time that one is set.

The rules depend on the order in which conditions are set, and on which of them has changed last.
Source: KServe pkg/apis/serving/v1beta1/inference_service_status.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ....kube.condition import Condition, Truth
from ....kube.fields import filled
from ....kube.manifest import Json
from .types import DEPENDENTS, READY, SEVERE

#: Sorts behind every time as the API writes it.
_NOW = "~"


@dataclass(frozen=True, slots=True)
class _Entry:
    said: Condition
    #: When it changed last: a time as the API writes it, or a mark of this run, which comes after all of them.
    since: str


class ConditionSet:
    """Conditions by type. Starts with what was said before."""

    def __init__(self, before: Iterable[Json] = ()) -> None:
        self._entries = {
            one["type"]: _Entry(_read(one), one.get("lastTransitionTime") or "") for one in before
        }
        self._marks = 0

    def status(self, kind: str) -> Truth | None:
        """Return what a condition says, None where nothing was said."""
        entry = self._entries.get(kind)
        return entry.said.status if entry else None

    def reason(self, kind: str) -> str:
        """Return why, empty where nothing was said."""
        entry = self._entries.get(kind)
        return entry.said.reason if entry else ""

    def initialise(self) -> None:
        """Say that nothing is known of what a service needs, where nothing was said of its readiness before."""
        if READY not in self._entries:
            for kind in (READY, *DEPENDENTS):
                if kind not in self._entries:
                    self._put(Condition(kind, "Unknown", "", ""))

    def put(self, kind: str, status: Truth, reason: str = "", message: str = "") -> None:
        """Set a condition, and let Ready follow."""
        self._put(Condition(kind, status, reason, message))
        if status == "True":
            self._follow()
        elif status == "False" and kind in DEPENDENTS:
            self._put(Condition(READY, "False", reason, message))
        elif status == "Unknown":
            self._doubt(kind, reason, message)

    def drop(self, kind: str) -> None:
        """Say nothing of a condition any more."""
        self._entries.pop(kind, None)

    def to_json(self) -> list[Json]:
        """Return the conditions as the API takes them, sorted by type, without times."""
        return [_write(self._entries[kind].said) for kind in sorted(self._entries)]

    def _put(self, said: Condition) -> None:
        entry = self._entries.get(said.type)
        if entry is None or entry.said != said:
            self._marks += 1
            self._entries[said.type] = _Entry(said, f"{_NOW}{self._marks:06}")

    def _follow(self) -> None:
        unhappy = self._unhappy()
        if unhappy is not None:
            self._put(replace(unhappy, type=READY))
        elif any(kind not in self._entries for kind in DEPENDENTS):
            self._put(Condition(READY, "Unknown", "", ""))
        else:
            self._put(Condition(READY, "True", "", ""))

    def _unhappy(self) -> Condition | None:
        """Return the condition that Ready repeats: of those that say no, then of those that do not know, the latest."""
        newest = [entry.said for entry in self._newest()]
        for status in ("False", "Unknown"):
            for said in newest:
                if said.status == status:
                    return said
        return None

    def _newest(self) -> Iterator[_Entry]:
        present = [self._entries[kind] for kind in sorted(DEPENDENTS) if kind in self._entries]
        return iter(sorted(present, key=lambda entry: entry.since, reverse=True))

    def _doubt(self, kind: str, reason: str, message: str) -> None:
        if any(self.status(one) == "False" for one in DEPENDENTS):
            if self.status(READY) != "False":
                self._put(Condition(READY, "False", reason, message))
        elif kind in DEPENDENTS:
            self._put(Condition(READY, "Unknown", reason, message))


def _read(one: Json) -> Condition:
    return Condition(one["type"], one["status"], one.get("reason") or "", one.get("message") or "")


def _write(said: Condition) -> Json:
    severity = "" if said.type in SEVERE else "Info"
    return filled({**said.to_dict(), "severity": severity})
