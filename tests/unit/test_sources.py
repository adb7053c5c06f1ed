# SPDX-License-Identifier: GPL-3.0-or-later
"""Where something comes from can be looked up: files of this repository that are named are there, and so are the rows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ROOT / "plugins" / "module_utils"
ROOM_NAMES = "|".join(sorted(path.name for path in ROOMS.iterdir() if path.is_dir()))
#: A file of the repository, from its root or from the rooms.
PATH = re.compile(
    rf"(?<![\w/.{{>-])((?:docs|plugins|tests|module_utils|{ROOM_NAMES})/[\w/]+\.(?:py|md))\b(?!\.)"
)
#: A row of docs/differences.md.
ROW = re.compile(r"docs/differences\.md, ((?:[A-Z]\d+(?:, )?)+)")
#: Chapters and codes of notes that nobody has.
ELSEWHERE = re.compile(r"\breference/[\w-]+\.md|\breference,? (?:§|[A-Z]\d)|§ ?\d")
PAGES = [
    path
    for folder in ("plugins", "tests", "docs", "extensions")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".md")
    and "recordings" not in path.parts
    # These name files that are made up.
    and path.name not in ("test_sources.py", "test_tree.py")
]
ROWS = set(
    re.findall(r"^\| ([A-Z]\d+) \|", (ROOT / "docs" / "differences.md").read_text(), re.MULTILINE)
)


def is_there(named: str) -> bool:
    return any((root / named).exists() for root in (ROOT, ROOMS, ROOMS.parent))


@pytest.mark.parametrize("folder", ["plugins", "tests", "docs", "extensions"])
def test_what_is_named_can_be_opened(folder: str) -> None:
    missing = []
    for page in PAGES:
        name = str(page.relative_to(ROOT))
        if not name.startswith(folder):
            continue
        text = page.read_text(encoding="utf-8")
        missing += [f"{name}: {path}" for path in PATH.findall(text) if not is_there(path)]
        missing += [f"{name}: {match[0]}" for match in ELSEWHERE.finditer(text)]
        rows = {row for found in ROW.findall(text) for row in found.strip(", ").split(", ")}
        missing += [f"{name}: row {row}" for row in rows - ROWS]
    assert missing == []
