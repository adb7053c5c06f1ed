# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a build says of itself while it runs."""

from __future__ import annotations

from tests.lab.progress import EVERY, LEAST, Progress


def lines(total: int, seconds_each: float, done: int) -> list[str]:
    """Return what is said while packages of two modules are compiled, one after the other."""
    progress = Progress()
    progress.expect(total // 2, 0.0)
    progress.expect(total - total // 2, 0.0)
    return [said for each in range(done) if (said := progress.compiled((each + 1) * seconds_each))]


def test_line_tells_all_packages_and_the_minutes_left() -> None:
    assert lines(600, 1.0, 300)[-1] == "300 of 600 packages compiled, about 5 minutes left"
    assert lines(600, 1.0, 550)[-1] == "550 of 600 packages compiled, about 1 minute left"


def test_there_is_no_guess_before_some_packages_are_compiled() -> None:
    assert lines(600, EVERY, LEAST - 1)[-1] == f"{LEAST - 1} of 600 packages compiled"


def test_a_line_comes_now_and_then() -> None:
    assert len(lines(600, 1.0, 600)) == 600 // EVERY


def test_more_packages_than_expected_are_not_counted() -> None:
    assert lines(100, 1.0, 120)[-1].startswith("100 of 100 packages compiled, about 0 minutes")
