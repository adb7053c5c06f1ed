# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import pytest

from tests.live.tally import Tally

REPORT = '<testsuites><testsuite tests="6" failures="1" errors="1" skipped="1"/></testsuites>'


def test_tests_of_pytest_and_of_the_machine_are_counted_together() -> None:
    tally = Tally()

    def pytest_run(report: str) -> int:
        Path(report).write_text(REPORT, encoding="utf-8")
        return 1

    tally.read(pytest_run)
    tally.demand("nothing_is_left", [])
    tally.demand("nothing_came", ["a bridge"])
    assert str(tally) == "live: 4 passed, 3 failed, 1 skipped"


@pytest.mark.parametrize("report", ["", '<testsuites><testsuite tests="1"/></testsuites>'])
def test_pytest_that_ends_with_an_error_is_a_failure_whatever_it_reports(report: str) -> None:
    tally = Tally()

    def pytest_run(file: str) -> int:
        if report:
            Path(file).write_text(report, encoding="utf-8")
        return 3

    tally.read(pytest_run)
    assert tally.failed == 1
