# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/differences.md: what we do otherwise, and which recorded cases show it."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"


def has_row(row: str, case: str) -> bool:
    """Tell whether a line of a table names both a row (its id, rule or first words) and a recorded case."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    return any(_holds(line, row) and _holds(line, case) for line in lines)


def _holds(line: str, words: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", line) is not None
