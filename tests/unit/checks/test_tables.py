# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of checks in the documentation is that of the code."""

from __future__ import annotations

from tests.tools.check_tables import PAGE, every_check, reason, with_table


def test_table_of_checks_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page), "run python -m tests.tools.check_tables"


def test_every_check_says_what_it_looks_for() -> None:
    assert [check.row.rule for check in every_check() if not reason(check)] == []
