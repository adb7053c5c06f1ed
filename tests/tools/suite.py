# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the named make targets in order, all of them, and say which passed: `python -m tests.tools.suite lint unit`."""

from __future__ import annotations

import os
import sys

from .steps import Step, run_steps


def main() -> int:
    """Run them and return the exit code."""
    make = os.environ.get("MAKE", "make")
    return run_steps("suite", [Step(target, [make, target]) for target in sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
