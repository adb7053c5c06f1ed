# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How many scenarios passed, failed and were not run, those of pytest and the look at the machine together."""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..tools import failures


@dataclass
class Tally:
    """The counts of one run; as text, the line with which each part of `make test` ends."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"live: {self.passed} passed, {self.failed} failed{skipped}"

    def read(self, pytest: Callable[[str], int]) -> None:
        """Run pytest, which is given a file for its report, and add what the report says."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            code = pytest(str(report))
            if not report.is_file():
                self.fail("pytest", f"it ended with {code} and no report")
                return
            for suite in ET.parse(report).iter("testsuite"):  # noqa: S314 - pytest wrote it a moment ago
                failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
                skipped = int(suite.get("skipped", 0))
                self.failed += failed
                self.skipped += skipped
                self.passed += int(suite.get("tests", 0)) - failed - skipped
            if code and not self.failed:
                self.fail("pytest", f"it ended with {code}")

    def fail(self, name: str, why: str) -> None:
        """Count a failure of something that is no test of pytest, and show it."""
        self.failed += 1
        print(f"FAILED {name}: {why}", flush=True)
        failures.note(f"{name}: {why.partition(chr(10))[0]}")

    def leave_out(self, why: str) -> None:
        """Count something that is not run, and say why."""
        self.skipped += 1
        print(f"not run: {why}", flush=True)

    def demand(self, name: str, wrong: Sequence[str]) -> None:
        """Count a test that passes where nothing is wrong."""
        if wrong:
            self.fail(name, "\n".join(wrong))
        else:
            self.passed += 1
            print(f"PASSED {name}", flush=True)
