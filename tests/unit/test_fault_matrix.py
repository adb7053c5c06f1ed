# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/fault_matrix.md has a row for each fault, and names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "fault_matrix.md").read_text(encoding="utf-8")
ROWS = {
    cells[0]: cells
    for line in PAGE.splitlines()
    if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 4
    and re.fullmatch(r"R[0-9]+", cells[0])
}
FILES = {
    "_".join((*path.parent.relative_to(TESTS).parts, path.stem.removeprefix("test_"))): path
    for path in TESTS.rglob("test_*.py")
}
NAMED = sorted({(row, name) for row, cells in ROWS.items() for name in cells[3].split(", ")})


def test_every_fault_has_a_row() -> None:
    assert {int(row[1:]) for row in ROWS} == set(range(1, 31))


@pytest.mark.parametrize(("row", "name"), NAMED)
def test_named_test_exists(row: str, name: str) -> None:
    file, _colons, test = name.partition("::")
    assert file in FILES, f"{row}: no file of that name"
    assert re.search(rf"^def {test}\(", FILES[file].read_text(encoding="utf-8"), re.MULTILINE)
