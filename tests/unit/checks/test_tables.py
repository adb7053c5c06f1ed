# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of checks in the documentation are those of the code."""

from __future__ import annotations

from tests.tools.check_tables import every_check, pages, reason


def test_tables_of_checks_are_current() -> None:
    stale = [path.name for path, text in pages() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run python -m tests.tools.check_tables"


def test_every_check_says_what_it_looks_for() -> None:
    assert [check.row.rule for check in every_check() if not reason(check)] == []
