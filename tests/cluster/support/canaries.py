# SPDX-License-Identifier: GPL-3.0-or-later
"""Words that nothing else contains, planted where secrets stand, and looked for in all that a run leaves behind."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

#: A message may cut a text; so much of the beginning is enough to tell where it comes from.
FRAGMENT = 10


@dataclass
class Canaries:
    """The words by the place where each is planted."""

    words: dict[str, str] = field(default_factory=dict)

    def plant(self, place: str, pattern: str = "{}") -> str:
        """Return a text that holds the place's word. pattern: what stands around it; signs that JSON and URLs write otherwise."""
        word = self.words.setdefault(place, f"{uuid.uuid4().hex}{uuid.uuid4().hex[:4]}")
        return pattern.format(word)

    def found(self, where: str, content: bytes) -> Iterator[str]:
        """Yield a line for every word that a content holds, with the form in which it does."""
        for place, word in self.words.items():
            for form, needle in forms(word).items():
                position = content.find(needle)
                if position >= 0:
                    around = content[max(0, position - 120) : position + 60]
                    yield f"{place} ({form}) in {where}: …{' '.join(around.decode(errors='replace').split())}…"

    def found_below(self, folder: Path, passed_over: Mapping[Path, str]) -> Iterator[str]:
        """Yield a line for every word in any file below a folder. passed_over: folders and files that are input, with the reason."""
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not any(path.is_relative_to(known) for known in passed_over):
                yield from self.found(str(path.relative_to(folder)), path.read_bytes())


def forms(word: str) -> dict[str, bytes]:
    """Return how a word may be written: its beginning as it is (JSON and URLs do not change it), reversed, in base64."""
    raw = word.encode()
    found = {"plain": raw[:FRAGMENT], "reversed": raw[::-1][:FRAGMENT], "hex": raw.hex().encode()}
    for shift in range(3):
        # What stands before the word shifts it against the groups of three; the groups at both ends depend on it.
        text = base64.b64encode(b"\0" * shift + raw + b"\0" * 3)
        found[f"base64, shifted by {shift}"] = text[4 : 4 + FRAGMENT * 2]
    return found
