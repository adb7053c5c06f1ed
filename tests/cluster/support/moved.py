# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded steps moved to namespaces of their own, so that sequences run beside each other on one cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from module_utils.kube.reference import Reference

T = TypeVar("T")

#: The recorded namespaces begin with one of these: seq, seq-real, team, team-a.
_RECORDED = re.compile(r"(?<![A-Za-z0-9])(?:seq|team)(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Move:
    """Writes another word where the recordings have their namespace; names made of it change along."""

    word: str

    def there(self, value: T) -> T:
        """Return a recorded value in the new place."""
        return _changed(value, _RECORDED, self.word)

    def onwards(self, value: T, other: Move) -> T:
        """Return a value of this place in another one."""
        own = re.compile(rf"(?<![A-Za-z0-9]){re.escape(self.word)}(?![A-Za-z0-9])")
        return _changed(value, own, other.word)


def _changed(value: Any, pattern: re.Pattern[str], word: str) -> Any:
    if isinstance(value, str):
        return pattern.sub(word, value)
    if isinstance(value, dict):
        return {
            _changed(key, pattern, word): _changed(inner, pattern, word)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        changed = [_changed(inner, pattern, word) for inner in value]
        return Reference(*changed) if isinstance(value, Reference) else type(value)(changed)
    if is_dataclass(value) and not isinstance(value, type | Path):
        return replace(
            value,
            **{
                each.name: _changed(getattr(value, each.name), pattern, word)
                for each in fields(value)
            },
        )
    return value
