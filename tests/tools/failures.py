# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Failed tests, a line each, in a file that outlives the run of pytest: so that a long run can name them in its last lines."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

# The file that pytest adds its failures to; without this variable nothing is kept.
VARIABLE = "TEST_FAILURES"
_LONGEST = 240


def keep(reports: Iterable[pytest.TestReport]) -> None:
    """Add the failed tests with their first line of error to the file that is asked for."""
    for report in reports:
        note(_line(report))


def note(line: str) -> None:
    """Add a failure in these words."""
    if path := os.environ.get(VARIABLE):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{line[:_LONGEST]}\n")


def read(path: Path) -> list[str]:
    """Return the lines kept so far."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    message = str(crash.message if crash else report.longrepr).strip().partition("\n")[0]
    return f"{report.nodeid}: {message}"
