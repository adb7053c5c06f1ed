# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags and variables that vLLM knows, each with the first and the last release that has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .vllm_name_tables import FLAGS, RELEASES, VARIABLES

#: The releases that were read, the oldest first.
READ = tuple(RELEASES.split())


@dataclass(frozen=True, slots=True)
class Span:
    """From the first to the last of the releases in `READ` that have a name, as places there."""

    first: int
    last: int

    def later(self, release: str) -> str:
        """Return which release brought the name, empty where `release`, for example 0.12, may have it."""
        absent = self.first and _number(READ[self.first - 1]) >= _number(release)
        return READ[self.first] if absent else ""

    def gone(self, release: str) -> str:
        """Return which release was the last with the name, empty where `release` may have it."""
        after = READ[self.last + 1 :]
        return READ[self.last] if after and _number(after[0]) <= _number(release) else ""


def is_read(release: str) -> bool:
    """Tell whether a release is no later than those that were read: then a name that is not here is none of its own."""
    return _number(release) <= _number(READ[-1])


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


@cache
def flags() -> Mapping[str, Span]:
    """Return the long flags, without their two dashes."""
    return _spans(FLAGS)


@cache
def variables() -> Mapping[str, Span]:
    """Return the variables that begin with VLLM_."""
    return {f"VLLM_{name}": span for name, span in _spans(VARIABLES).items()}


def _spans(table: str) -> dict[str, Span]:
    found: dict[str, Span] = {}
    for line in table.replace("\n  ", " ").splitlines():
        releases, *names = line.split()
        first, dummy, last = releases.partition("..")
        span = Span(READ.index(first) if first else 0, READ.index(last or READ[-1]))
        found |= dict.fromkeys(names, span)
    return found
